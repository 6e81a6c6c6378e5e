import { afterAll, onTestFinished, TestRunner } from 'vitest'

/** Runs `close` when the test that calls this is finished; outside of tests, when the file is. Inside a test `afterAll` does nothing. */
export function atEnd(close: () => unknown) {
  const run = async () => void (await close())
  if (TestRunner.getCurrentTest()) onTestFinished(run)
  else afterAll(run)
}
