// npm run check: all static checks, the longest first.
import { printCode } from './print-code.ts'
import { runSteps } from './steps.ts'

printCode()
await runSteps([
  // Also reports the compiler's errors: separate compiler runs take 30 s of processor time. Its Go program collects garbage only above 6
  // GB, because collecting earlier takes a quarter of its processor time.
  {
    name: 'lint and types',
    command: ['oxlint', '--type-aware', '--type-check'],
    env: { GOGC: 'off', GOMEMLIMIT: '6GiB' },
  },
  { name: 'unused', command: ['knip', '--no-progress'] },
  { name: 'printed', command: ['tsx', 'scripts/print.ts', '--check'] },
  { name: 'layers', command: ['tsx', 'scripts/check-layers.ts'] },
  { name: 'format', command: ['oxfmt', '--check', '.'] },
])
