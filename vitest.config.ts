import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: { projects: ['libs/*/*/vitest.config.ts', 'tools/vitest.config.ts', 'e2e/vitest.config.ts'] },
});
