import { expect, test } from 'vitest'
import { drawCard } from './card.ts'

test('D-164: the picture of a link is the same each time: its title stays bold', async () => {
  const card = { title: 'Ada invited you to Plaza', text: 'Create an account.', host: 'plaza.test' }
  const [first, second] = [await drawCard(card), await drawCard(card)]
  expect(second.equals(first)).toBe(true)
})
