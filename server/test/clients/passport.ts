/** The answer of a Passport strategy to a request. */
export type Outcome<SignedIn> = { redirect: string } | { user: SignedIn } | { fail: unknown }

/** Runs a strategy as passport's middleware does: on a copy with the result callbacks added. */
export const authenticate = <SignedIn>(strategy: object, request: object) =>
  new Promise<Outcome<SignedIn>>((done, refuse) => {
    const run = Object.assign(Object.create(strategy) as { authenticate(request: object): void }, {
      redirect: (redirect: string) => done({ redirect }),
      success: (user: SignedIn) => done({ user }),
      fail: (fail: unknown) => done({ fail }),
      error: refuse,
    })
    run.authenticate(request)
  })
