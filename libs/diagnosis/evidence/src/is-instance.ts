// Whether a value of one type counts as one of another, as far as the names alone can tell.
import { isSameType, nameType } from './compare-values.ts';

/** Built-in exceptions by their base class: Python's (docs.python.org, "Exception hierarchy"), then JavaScript's. */
const families: Readonly<Record<string, string>> = {
  BaseException: 'Exception GeneratorExit KeyboardInterrupt SystemExit BaseExceptionGroup',
  Exception:
    'ArithmeticError AssertionError AttributeError BufferError EOFError ImportError LookupError MemoryError NameError OSError ReferenceError RuntimeError StopAsyncIteration StopIteration SyntaxError SystemError TypeError ValueError Warning ExceptionGroup',
  ArithmeticError: 'FloatingPointError OverflowError ZeroDivisionError',
  ImportError: 'ModuleNotFoundError',
  LookupError: 'IndexError KeyError',
  NameError: 'UnboundLocalError',
  OSError:
    'BlockingIOError ChildProcessError ConnectionError FileExistsError FileNotFoundError InterruptedError IsADirectoryError NotADirectoryError PermissionError ProcessLookupError TimeoutError',
  ConnectionError: 'BrokenPipeError ConnectionAbortedError ConnectionRefusedError ConnectionResetError',
  RuntimeError: 'NotImplementedError RecursionError PythonFinalizationError',
  SyntaxError: 'IndentationError',
  IndentationError: 'TabError',
  ValueError: 'UnicodeError',
  UnicodeError: 'UnicodeDecodeError UnicodeEncodeError UnicodeTranslateError',
  Error: 'EvalError RangeError ReferenceError SyntaxError TypeError URIError AggregateError',
};
/** true, false, or undefined: a class of the program may derive from any other. */
export function isInstance(observed: string, wanted: string): boolean | undefined {
  if (observed === '') return undefined;
  if (isSameType(wanted, observed)) return true;
  const [type, of] = [observed, wanted].map((name) => name.split('.').at(-1) ?? '') as [string, string];
  if (isException(type) && isException(of)) return derives(type, of);
  // In Python a bool is an int, and whatever is, is an object.
  if (of === 'object' || (nameType(type) === 'bool' && nameType(of) === 'int')) return undefined;
  return isBuiltIn(type) && (isBuiltIn(of) || isException(of)) ? false : undefined;
}

function derives(type: string, of: string): boolean {
  return type === of || basesOf(type).some((base) => derives(base, of));
}

function basesOf(type: string): string[] {
  return Object.entries(families).flatMap(([base, members]) => (members.split(' ').includes(type) ? [base] : []));
}

function isException(name: string): boolean {
  return Object.hasOwn(families, name) || basesOf(name).length > 0;
}

const builtIn =
  'int float number bigint bool str bytes nonetype null undefined list tuple dict set frozenset function symbol'.split(
    ' ',
  );

function isBuiltIn(type: string): boolean {
  return builtIn.includes(nameType(type));
}
