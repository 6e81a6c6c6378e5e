import { AsyncLocalStorage } from 'node:async_hooks'

const running = new AsyncLocalStorage<string>()

/** Runs `work` as an attempt of a job, whose name is the same at each attempt. */
export const runAsJob = <Result>(name: string, work: () => Promise<Result>) => running.run(name, work)

/** The job that is running; undefined outside of one. */
export const currentJob = () => running.getStore()
