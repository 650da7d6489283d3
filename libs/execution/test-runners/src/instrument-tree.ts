import type { ArtifactStore, ObserveOptions, Sha, TreeChange } from '@h/contracts';

export async function instrumentTree(
  _tree: Sha,
  _cwd: string,
  _artifacts: ArtifactStore,
  _options: ObserveOptions,
): Promise<{ changes: TreeChange[]; notes: string[] }> {
  return { changes: [], notes: [] };
}
