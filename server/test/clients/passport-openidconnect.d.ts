declare module 'passport-openidconnect' {
  interface Options {
    issuer: string
    authorizationURL: string
    tokenURL: string
    userInfoURL: string
    clientID: string
    clientSecret: string
    callbackURL: string
    scope?: string[]
    nonce?: string
  }
  interface Profile {
    id: string
    displayName?: string
    emails?: { value: string }[]
  }
  type Done = (error?: unknown, user?: object | false) => void
  export class Strategy {
    constructor(
      options: Options,
      verify: (
        issuer: string,
        profile: Profile,
        context: object,
        id_token: string,
        access_token: string,
        refresh_token: string,
        done: Done,
      ) => void,
    )
    authenticate(request: object, options?: object): void
    authorizationParams(options: object): Record<string, string>
  }
}
