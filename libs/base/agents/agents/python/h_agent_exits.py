"""PYTEST_DONT_REWRITE. What the instruction at which a frame stopped says: whether the frame only waits, and whether an exception only
ends a loop.
"""
import builtins
import dis

__builtins__ = dict(vars(builtins))  # the target may patch its own
_CODE = 2  # bytes of an instruction
_YIELD, _FROM = dis.opmap['YIELD_VALUE'], dis.opmap.get('YIELD_FROM', -1)
_NEXT = {dis.opmap.get(name, -1) for name in ('FOR_ITER', 'YIELD_FROM', 'SEND')}
_ASYNC_NEXT, _AWAITED = dis.opmap['GET_ANEXT'], 3 * _CODE


def is_waiting(frame):
    """Whether a generator or coroutine that leaves its frame comes back to the same statement."""
    code, at = frame.f_code.co_code, frame.f_lasti
    # up to CPython 3.10 what delegates stays before its instruction
    return at >= 0 and (code[at] == _YIELD or at + _CODE < len(code) and code[at + _CODE] == _FROM)


def ends_loop(code, at, error):
    """Whether an exception told at an offset is how an iterator says to the loop, `yield from` or `await` around it that it is through: these
    do not raise it. What `next(…)` raises is no such one."""
    kind, text = type(error), code.co_code
    if issubclass(kind, StopIteration):
        return text[at] in _NEXT
    # `async for` gets an awaitable by GET_ANEXT, and awaits it in the instructions behind
    return issubclass(kind, StopAsyncIteration) and _ASYNC_NEXT in text[at - min(at, _AWAITED):at + 1:_CODE]
