import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    globalSetup: ['server/test/global-setup.ts'],
    include: ['{contract,client,server,examples,scripts,web}/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Two cores: more workers only make each other slow.
    maxWorkers: 3,
  },
})
