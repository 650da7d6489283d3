// Texts that models and tools write edits in: apart from the applier, whose input is a record.
export type { EditTextFormat, EditTextProblem, ReadEdit, UnreadableEdit } from './formats/edit-text.ts';
export { type ReadEditOptions, readEditText } from './formats/read-edit-text.ts';
