/** Returns the current time. Tests pass a clock that they set. */
export type Clock = () => Date

export const systemClock: Clock = () => new Date()

export const secondsAfter = (time: Date, seconds: number) => new Date(time.getTime() + seconds * 1000)
