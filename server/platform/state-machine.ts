/** The states that may follow each state. */
export type Transitions<State extends string> = Readonly<Record<State, readonly State[]>>

/**
 * One state of several. Its transition table is written where it is used. `enter` throws for a transition that is not in the table, so that
 * a mistake shows where it is made. With `onIllegal`, the error goes there and the transition is still made, for work that must continue.
 */
export class StateMachine<State extends string> {
  readonly name: string
  private readonly transitions: Transitions<State>
  private readonly onIllegal: ((error: Error) => void) | undefined
  private state: State

  constructor(name: string, transitions: Transitions<State>, initial: State, onIllegal?: (error: Error) => void) {
    this.name = name
    this.transitions = transitions
    this.state = initial
    this.onIllegal = onIllegal
  }

  get current(): State {
    return this.state
  }

  is(...states: readonly State[]) {
    return states.includes(this.state)
  }

  /** Enters a state. Throws, or reports, if that state may not follow the current one. */
  enter(next: State) {
    if (!this.transitions[this.state].includes(next)) this.refuse(next)
    this.state = next
  }

  private refuse(next: State) {
    const error = new Error(`${this.name}: ${next} may not follow ${this.state}`)
    if (!this.onIllegal) throw error
    this.onIllegal(error)
  }
}
