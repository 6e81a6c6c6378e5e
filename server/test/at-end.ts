import { afterAll, onTestFinished, TestRunner } from 'vitest'

/** Runs `close` after the test that calls this, or outside tests after the file. Inside a test `afterAll` has no effect. */
export function atEnd(close: () => unknown) {
  const run = async () => void (await close())
  if (TestRunner.getCurrentTest()) onTestFinished(run)
  else afterAll(run)
}
