// An edit tool for a harness to hand to its model: apart from the applier, which knows no model.
export {
  type ApplyPackage,
  createEditTool,
  type EditTool,
  type EditToolFiles,
  type EditToolOptions,
  type ToolAnswer,
} from './tool/create-edit-tool.ts';
export { explainRejection } from './tool/explain-rejection.ts';
