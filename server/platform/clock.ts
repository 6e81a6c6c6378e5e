/** Where the service reads the time. Tests hand in one that they set. */
export type Clock = () => Date

export const systemClock: Clock = () => new Date()

export const secondsAfter = (moment: Date, seconds: number) => new Date(moment.getTime() + seconds * 1000)
