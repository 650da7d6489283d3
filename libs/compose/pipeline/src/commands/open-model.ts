import type { ModelCall } from '@h/contracts';
import { directoryRecordings, openAiCompatible, recordModel, replayModel } from '@h/llm-stub';
import { badInput } from '../errors.ts';

export interface ModelFlags {
  readonly model?: string;
  readonly modelName?: string;
  readonly recordings?: string;
}

/** The model that the flags name: a server, a server whose answers are kept, answers given again, or none. Throws `bad_input`. */
export function openModel(
  { model: url, modelName, recordings }: ModelFlags,
  apiKey: string | undefined,
): { model?: ModelCall; modelName?: string } {
  const kept = recordings === undefined ? undefined : directoryRecordings(recordings);
  if (url === undefined) {
    if (modelName !== undefined) throw badInput('--model-name without --model.', 'Name the server with --model URL.');
    return kept === undefined ? {} : { model: replayModel(kept), modelName: 'recordings' };
  }
  if (modelName === undefined)
    throw badInput('--model without --model-name.', 'Name the model that the server is to use.');
  const asked = openServer(url, modelName, apiKey);
  return { model: kept === undefined ? asked : recordModel(asked, kept), modelName: `${url} ${modelName}` };
}

function openServer(url: string, model: string, apiKey: string | undefined): ModelCall {
  try {
    return openAiCompatible({ url, model, ...(apiKey === undefined ? {} : { apiKey }) });
  } catch (error) {
    throw badInput(
      `--model cannot be used: ${(error as Error).message}`,
      'Give an address such as http://localhost:8080/v1.',
      error,
    );
  }
}
