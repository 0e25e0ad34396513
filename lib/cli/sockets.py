"""A notebook server whose answers leave at once.

Each answer of a kernel is several small messages. Unless told otherwise the operating system holds
back the second until the first is acknowledged (Nagle's algorithm), which browsers do after 40 ms:
four fifths of the time from a key to the redrawn board.
"""

from typing import Any

from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection


class PromptConnection(ZMQChannelsWebsocketConnection):
    """The server's usual connection to a kernel, without that wait."""

    def connect(self) -> Any:
        """Called once the page is connected."""
        self.websocket_handler.set_nodelay(True)
        return super().connect()
