import { defineConfig } from 'tsup';

/** The build every library shares: ESM JavaScript only; declarations come from the root `tsc -b`. */
export function libraryConfig(entries: readonly string[]) {
  return defineConfig({
    entry: entries.map((name) => `src/${name}.ts`),
    format: 'esm',
    target: 'node20',
    platform: 'node',
    dts: false,
    clean: false,
    splitting: true,
    treeshake: true,
    sourcemap: false,
  });
}
