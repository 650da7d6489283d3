"""PYTEST_DONT_REWRITE. What a framework runs to word a failure is no part of the run that failed.

An assertion that came out false is told with the `repr` of its operands, an exception with its `str`: the target's own
code, which runs only because the test has failed already. Credited to the test it would be the most suspicious of all.
It cannot have made the test fail; where the test itself calls it, it counts as ever.
"""
import sys
import types


class Reporting:
    """Sends what runs while it is entered to `lines`, apart from the test's own."""

    def __init__(self, coverage):
        self.coverage, self.lines = coverage, set()

    def __enter__(self):
        self.coverage.enter(self.lines)

    def __exit__(self, *_):
        self.coverage.leave()

    def wrap(self, plain):
        def apart(*args, **kwargs):
            if not self.coverage.in_main_thread():  # who runs now is known of the main thread alone
                return plain(*args, **kwargs)
            with self:
                return plain(*args, **kwargs)
        return apart

    def install(self):
        """Wraps what asserts of pytest and methods of unittest call once they have failed, in either of them that is loaded."""
        self._replace('_pytest.assertion.rewrite', ('_saferepr', '_call_reprcompare', '_format_assertmsg'))
        self._replace('unittest.case', ('safe_repr', '_common_shorten_repr'))
        case = sys.modules.get('unittest.case')
        pprint = getattr(case, 'pprint', None)
        if pprint is not None and hasattr(pprint, 'pformat'):
            own = types.ModuleType('pprint')
            own.__dict__.update(pprint.__dict__)
            own.pformat = self.wrap(pprint.pformat)
            case.pprint = own

    def _replace(self, module, names):
        holder = sys.modules.get(module)
        for name in names:
            plain = getattr(holder, name, None)
            if plain is not None:
                setattr(holder, name, self.wrap(plain))
