import { expect, test } from 'vitest'
import { sendVerification } from '../../../contract/accounts.ts'
import { chooseLearningPath, completeStep, listModules } from '../../../contract/learning.ts'
import { pointsOf, signedInAgain, someUser } from '../../../server/test/world.ts'
import { expectAccessible, startConsole } from '../../test/browser.ts'
import { expectFitsPhone } from '../../test/fits-phone.ts'

const { plaza, pageAs } = await startConsole({})

/** A user on the beginners' path who has completed the first module except its last step. */
async function almostThrough() {
  const user = await someUser(plaza)
  await user.api.result(chooseLearningPath, { body: { path: 'bitcoin-basics' } })
  const { modules } = await user.api.result(listModules)
  const [module] = modules
  if (!module) throw new Error('there is no first module')
  for (const { step_id } of module.steps.slice(0, -1)) await user.api.result(completeStep, { params: { step_id } })
  return { user, module, last: module.steps.at(-1)?.title ?? '' }
}

test('a user chooses a path, completes a step, and sees the reward in the points history', async () => {
  const user = await someUser(plaza)
  const page = await pageAs(user)
  await page.goto('/learning')
  await page.getByRole('heading', { name: 'Choose a learning path' }).waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Choose Bitcoin basics' }).click()
  await page.getByRole('heading', { name: 'Bitcoin basics', level: 1 }).waitFor()
  await expectFitsPhone(page)

  await page.getByRole('link', { name: /^Begin: / }).click()
  await page.getByRole('heading', { name: 'What money does', level: 1 }).waitFor()
  await page.getByText('Pays 5 points, the first time only.').waitFor()
  await expectFitsPhone(page)
  await page.getByRole('button', { name: 'Complete this step' }).click()
  await page.getByText('Completed. You earned 5 points.').waitFor()
  await page.getByRole('link', { name: /^Next: The problem of spending twice/ }).click()
  await page.getByRole('heading', { name: 'The problem of spending twice', level: 1 }).waitFor()
  await page.keyboard.press('ArrowLeft')
  await page.getByText('You have completed this step.').waitFor()

  await page.getByRole('link', { name: 'Points' }).first().click()
  const row = page.getByRole('table').getByRole('row', { name: /What money does/ })
  expect(await row.textContent()).toContain('Learning reward')
  expect(await row.textContent()).toContain('+5')
  expect(await pointsOf(user)).toBe(5)
})

test('D-116: a person whose address is not verified sees waiting rewards, and gets them with the verification', async () => {
  const user = await someUser(plaza, { verified: false })
  await user.api.result(chooseLearningPath, { body: { path: 'bitcoin-basics' } })
  const page = await pageAs(user)
  await page.goto('/learning')
  await page.getByRole('link', { name: /^Begin: / }).click()
  await page.getByRole('button', { name: 'Complete this step' }).click()
  await page.getByText('are paid when you verify your e-mail address.').waitFor()
  await expectAccessible(page)
  await page.goto('/points')
  await page.getByText('are paid when you verify your e-mail address.').waitFor()
  await expectFitsPhone(page)
  expect(await pointsOf(user)).toBe(0)
  await user.api.result(sendVerification)
  const code = /code is (\d{6})/.exec(await plaza.mailTo(user.email))?.[1] ?? ''
  await page.getByRole('link', { name: 'verify your e-mail address' }).click()
  await page.getByLabel('Code from the mail').fill(code)
  await page.getByRole('heading', { name: /^Hello, / }).waitFor()
  await page.goto('/points')
  await page
    .getByRole('table')
    .getByRole('row', { name: /What money does/ })
    .waitFor()
  expect(await page.getByText('are paid when you verify').count()).toBe(0)
  // The verification ended the session of the test.
  expect(await pointsOf(await signedInAgain(plaza, user))).toBe(5)
})

test('D-163: a streak names a time zone that is not the browser’s; arrow keys in an open menu do not navigate, and a step without a chosen path asks for one', async () => {
  const { user, module } = await almostThrough()
  const page = await pageAs(user, { timezoneId: 'America/Los_Angeles' })
  await page.goto('/learning')
  await page.getByText('Your days begin at midnight in the time zone UTC.').waitFor()
  await page.getByRole('link', { name: 'Change it' }).click()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Your profile is saved.').waitFor()
  await page.goto('/learning')
  await page.getByText('1 day in a row').waitFor()
  expect(await page.getByText('Your days begin').count()).toBe(0)
  const { step_id, title } = module.steps[1] ?? { step_id: '', title: '' }
  const address = `/learning/${module.module_number}/${step_id}`
  await page.goto(address)
  await page.getByRole('heading', { name: title, level: 1 }).waitFor()
  await page.getByRole('button', { name: user.username }).click()
  await page.getByRole('menuitem').first().waitFor()
  const visited: string[] = []
  page.on('framenavigated', (frame) => visited.push(new URL(frame.url()).pathname))
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('Escape')
  await page.getByRole('menuitem').first().waitFor({ state: 'detached' })
  await page.keyboard.press('ArrowRight')
  await expect.poll(() => visited).toEqual([`/learning/${module.module_number}/${module.steps[2]?.step_id}`])
  const other = await pageAs(await someUser(plaza))
  await other.goto(address)
  await other.getByRole('link', { name: 'Choose a path' }).click()
  await other.getByRole('heading', { name: 'Choose a learning path' }).waitFor()
})

test('D-78: a module is completed, can be repeated after its cooldown, and then pays nothing', async () => {
  const { user, module, last } = await almostThrough()
  const page = await pageAs(user)
  await page.goto(`/learning/${module.module_number}`)
  await page.getByRole('link', { name: 'Continue' }).click()
  await page.getByRole('heading', { name: last, level: 1 }).waitFor()
  await page.getByRole('button', { name: 'Complete this step' }).click()
  await page.getByRole('link', { name: 'See the whole module' }).click()
  await page.getByText('You have completed this module').waitFor()
  await page.getByText('You can repeat it in 7 days').waitFor()
  expect(await page.getByRole('button', { name: 'Repeat this module' }).isDisabled()).toBe(true)
  await expectAccessible(page)
  await expectFitsPhone(page)
  const earned = await pointsOf(user)

  plaza.clock.advance(8 * 86_400)
  const later = await pageAs(user)
  await later.clock.setSystemTime(plaza.clock.now())
  await later.goto(`/learning/${module.module_number}`)
  await later.getByText('You can repeat it now.').waitFor()
  await later.getByRole('button', { name: 'Repeat this module' }).click()
  await later.getByRole('dialog').getByRole('button', { name: 'Open all steps again' }).click()
  await later.getByText(`Module ${module.module_number}: 0 of ${module.steps.length} completed`).waitFor()
  await later.getByRole('link', { name: 'Begin' }).click()
  await later.getByRole('button', { name: 'Complete this step' }).click()
  await later.getByText('Completed again. A step pays the first time only.').waitFor()
  const again = await pageAs(user)
  await again.goto('/account')
  await again.getByText(String(earned), { exact: true }).first().waitFor()
})
