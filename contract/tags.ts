/** What the groups of operations are for: the tags of the OpenAPI document. */
export const tags: Readonly<Record<string, string>> = {
  Accounts: 'A person’s own account: registration, sign-in, second factor, password, login sessions.',
  'OAuth apps': 'What an operator does with apps: registering, changing, secrets, scope requests.',
  OAuth: 'How an app is granted access to a person’s account, and gets, checks and returns tokens.',
  'Connected apps': 'Which apps a person has let act for them, and how far.',
  Infrastructure: 'Whether the service works, and where clients find out about it.',
  'External user': 'Who the person is for whom an app acts, and the session in the app.',
  Points: 'Balances, spends, transfers and history, for a person or an app that acts for one.',
  Payments: 'Holds, refunds and books of an app that takes points.',
  Social: 'Friends, blocks, chat, presence, search, and events of all of them.',
  Webhooks: 'How an app is told of what happens, and the events that it is told of.',
  Ads: 'Ads that an app shows, and what came of them.',
  Learning: 'Learning paths, modules and steps, with rewards.',
  Deployments: 'Containers that Plaza hosts for an app.',
  Operators: 'An app as its operator sees it, and the public directory.',
  Sandbox: 'What only a sandbox has: play points, mails, and test persons.',
  Administration: 'What admins do. Every change is in the audit log.',
}
