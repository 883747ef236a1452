"""Token counts without a tokenizer: a bound that holds for money, a guess where nobody counted."""

from bot.ports.model import ModelRequest, Usage

_PER_REQUEST = 64
_PER_MESSAGE = 16
_BYTES_PER_TOKEN = 3


def most_input_tokens(request: ModelRequest) -> int:
    """An upper bound of the prompt's tokens.

    Tokenizers over bytes (BPE, and SentencePiece with byte fallback) never make more tokens than
    there are bytes of UTF-8; chat templates add a few per message and per request.
    """
    return _PER_REQUEST + sum(len(m.content.encode()) + _PER_MESSAGE for m in request.messages)


def likely_tokens(text: str) -> int:
    """A fair guess that leans high: a token for three bytes; English and code have 3.5 to 4.5."""
    return -(-len(text.encode()) // _BYTES_PER_TOKEN)


def estimated_usage(request: ModelRequest, reply: str) -> Usage:
    """The usage of a call that no provider counted."""
    prompt = sum(likely_tokens(m.content) + 4 for m in request.messages)
    return Usage(input=prompt, output=likely_tokens(reply), estimated=True)


def worst_usage(request: ModelRequest) -> Usage:
    """What the call can use at most: the bound of its prompt and all the output it asked for."""
    return Usage(input=most_input_tokens(request), output=request.max_output, estimated=True)
