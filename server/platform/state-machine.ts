/** The states that may follow each state. */
export type Transitions<State extends string> = Readonly<Record<State, readonly State[]>>

/**
 * One state of several. Its table of transitions is written where it is used; `enter` throws for a transition that the
 * table does not list, so that a mistake shows where it is made.
 */
export class StateMachine<State extends string> {
  private readonly name: string
  private readonly transitions: Transitions<State>
  private state: State

  constructor(name: string, transitions: Transitions<State>, initial: State) {
    this.name = name
    this.transitions = transitions
    this.state = initial
  }

  get current(): State {
    return this.state
  }

  is(...states: readonly State[]) {
    return states.includes(this.state)
  }

  /** Moves on to a state. Throws when that may not follow the current one. */
  enter(next: State) {
    if (!this.transitions[this.state].includes(next))
      throw new Error(`${this.name}: ${next} may not follow ${this.state}`)
    this.state = next
  }
}
