import { createParser, createSyntaxChecker, visibleNames } from '../src/index.ts';

const text = 'def mid(x, y, z):\n    if y < z:\n        return y\n    return z\n';
const parser = await createParser({ languages: ['python'] });
const { functions, statements } = parser.outline(text, 'python');
const lines = statements.map(({ node, first }) => `${first} ${node}`);
console.log(functions[0]?.qualified_name, lines);
// mid [ '1 function_definition', '2 if_statement', '3 return_statement', '4 return_statement' ]
console.log(visibleNames(parser.names(text, 'python'), text.indexOf('return y')).map(({ name }) => name));
// [ 'x', 'y', 'z', 'mid' ]
const checker = await createSyntaxChecker(['python']);
console.log(checker.check('x = 1\nreturn x  # noqa\n', 'python', { pythonVersion: '3.11' }));
// [ { line: 2, column: 0, message: '`return` statement outside of a function/method', code: 'return-outside-function' } ]
