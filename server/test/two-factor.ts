import { generateSync } from 'otplib'
import { enableTotp, setupTotp } from '../../contract/accounts.ts'
import type { TestClock } from './harness.ts'
import type { SomeUser } from './world.ts'

/** The code that an authenticator app shows at this time. */
export const totpCode = (clock: TestClock, secret: string) =>
  generateSync({ secret, epoch: Math.floor(clock.now().getTime() / 1000) })

/** Enables two-factor authentication for a user. The code of the current time is then used up. */
export async function enableTwoFactor({ clock }: { clock: TestClock }, user: SomeUser) {
  const { secret } = await user.api.result(setupTotp)
  const { recovery_codes } = await user.api.result(enableTotp, { body: { code: totpCode(clock, secret) } })
  return { secret, recovery_codes }
}
