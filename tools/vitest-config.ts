import { defaultServerConditions } from 'vite';
import { defineConfig } from 'vitest/config';

/** Tests of one library run on TypeScript sources, so that no build is needed first. */
export function libraryTests(name: string) {
  return defineConfig({
    resolve: { conditions: ['@h/source', ...defaultServerConditions] },
    ssr: { resolve: { conditions: ['@h/source', ...defaultServerConditions] } },
    test: { name, include: ['test/**/*.test.ts'], testTimeout: 60_000, hookTimeout: 60_000 },
  });
}
