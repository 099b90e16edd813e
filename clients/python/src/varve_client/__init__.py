"""Varve: long-term memory for AI agents. A client of its server."""

from .client import AsyncMemory, AsyncVarve, Memory, Varve, VarveError

__all__ = ["AsyncMemory", "AsyncVarve", "Memory", "Varve", "VarveError"]
__version__ = "0.1.0"
