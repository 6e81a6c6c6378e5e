// npm run check: all static checks, the longest first.
import { printCode } from './print-code.ts'
import { runSteps } from './steps.ts'

printCode()
await runSteps([
  // Reports the errors of the compiler too: separate runs of it take 30 s of processor time.
  // Its Go program collects garbage only where it needs 6 GB: that takes a quarter of its processor time otherwise.
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
