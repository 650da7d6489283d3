"""PYTEST_DONT_REWRITE. Value probes in the files whose assertions pytest rewrites: they are put in before it does."""
import os


def install(recorder):
    """Wraps what pytest's own import hook calls; where this pytest has no such functions, test files get no probes, and it says so."""
    from _pytest.assertion import rewrite
    try:
        plain, read, write = rewrite._rewrite_test, rewrite._read_pyc, rewrite._write_pyc
    except AttributeError:
        recorder.tell('n', 'test files have no probes: this pytest rewrites assertions in another way')
        return

    def named(path):
        inside = recorder.relative(str(path))
        return inside if inside in recorder.specs else None

    def _rewrite_test(fn, config):
        inside = named(fn)
        if inside is None:
            return plain(fn, config)
        try:
            stat, name = os.stat(str(fn)), str(fn)
            with open(name, 'rb') as file:
                source = file.read()
            code = recorder.instrument(source, name, inside, lambda tree: rewrite.rewrite_asserts(tree, source, name, config))
            return stat, code
        except Exception as problem:
            recorder.skipped(inside, '%s: %s' % (type(problem).__name__, str(problem)[:200]))
            return plain(fn, config)

    def _read_pyc(source, *others, **options):
        return None if named(source) is not None else read(source, *others, **options)

    def _write_pyc(state, co, *others, **options):
        return False if named(co.co_filename) is not None else write(state, co, *others, **options)

    rewrite._rewrite_test, rewrite._read_pyc, rewrite._write_pyc = _rewrite_test, _read_pyc, _write_pyc
