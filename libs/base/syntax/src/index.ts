export { createGrammarChecker, type GrammarChecker, type GrammarCheckerOptions } from './check-grammar.ts';
export {
  type CheckerOptions,
  type CheckOptions,
  createSyntaxChecker,
  type SyntaxChecker,
  type SyntaxDiagnostic,
} from './check-syntax.ts';
export { createParser, type Parser, type ParserOptions } from './create-parser.ts';
export type { CheckerEngine, OxcModule, ParserEngine, RuffModule } from './engines.ts';
export { SyntaxEngineError, type SyntaxErrorCode } from './errors.ts';
export type { FlatTree } from './flat-tree.ts';
export { indexLines, type LineIndex } from './index-lines.ts';
export { type GrammarLanguage, grammarLanguageOf, type Language, languageOf } from './language-of.ts';
export type { Token } from './list-tokens.ts';
export { type BlockSpan, type FunctionSpan, type Outline, type StatementSpan, statementAt } from './outline-code.ts';
export type { NameDefinition, NameScope, NameTable, NameUse } from './resolve-names.ts';
export type { SyntaxCursor, SyntaxNode, SyntaxPoint } from './syntax-node.ts';
export { scopeAt, type VisibleName, visibleNames } from './visible-names.ts';
