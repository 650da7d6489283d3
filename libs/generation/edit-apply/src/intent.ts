// What a change must do and how it is to be written: apart from the applier, which needs none of it.
export {
  type AssembledIntent,
  assembleIntent,
  INTENT_CAPS,
  type IntentParts,
  type Sourced,
  type Truncation,
} from './intent/assemble-intent.ts';
export { chooseFormat, type EditScope, LOCALIZED_LINES } from './intent/choose-format.ts';
