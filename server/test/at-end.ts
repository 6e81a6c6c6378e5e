import { afterAll, onTestFinished } from 'vitest'
import { getCurrentTest } from 'vitest/suite'

/** Runs `close` when the test that calls this is finished; outside of tests, when the file is. Inside a test `afterAll` does nothing. */
export function atEnd(close: () => unknown) {
  const run = async () => void (await close())
  if (getCurrentTest()) onTestFinished(run)
  else afterAll(run)
}
