import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Declaration } from '../contract/endpoint.ts'
import { includesRole, type MemberRole } from '../contract/kinds/member-roles.ts'
import { operations } from '../contract/operations.ts'

/** Controls that another check hides: that of an operation with the same roles, or of a role in the team. */
const hidden_by: Readonly<Record<string, string>> = {
  createCliCode: 'developer',
  createSecret: 'listSecrets',
  destroyDeployment: 'restartDeployment',
  inviteMember: 'admin',
  moveApp: 'owner',
  recordDeploymentPayment: 'suspendDeployment',
  removeLogo: 'setLogo',
  rollBackDeployment: 'changeDeployment',
  stopDeployment: 'restartDeployment',
  updateMember: 'admin',
  updateTeam: 'admin',
}

const sources = readdirSync(new URL('.', import.meta.url), { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name) && !/\.test\.ts$|test\//.test(name))
  .map((name) => readFileSync(new URL(name, import.meta.url), 'utf8').replaceAll(/^import [^']*'[^']*'$/gm, ''))
  .join('\n')

/** Whether a page checks the person's right to make the call: `may(app, call)`, or a component that gets it and checks it. */
const isChecked = (name: string) =>
  new RegExp(
    String.raw`\b(?:may|useMay|mayNow)\((?:[^()]|\([^()]*\))*\b${name}\b|\b(?:of|call|endpoint|decided_by)(?:=\{|: )${name}\b`,
  ).test(sources)

const isRestricted = ({ method, admin_roles, team_role = 'viewer' }: Declaration) =>
  method !== 'GET' && (admin_roles !== undefined || team_role !== 'viewer')

test('D-134, D-135: the console checks the roles of each restricted call that it makes, so that no control answers 403', () => {
  const made = Object.entries<Declaration>(operations).filter(
    ([name, declared]) => isRestricted(declared) && new RegExp(String.raw`\b${name}\b`).test(sources),
  )
  expect(made.length).toBeGreaterThan(50)
  const unchecked = made.filter(([name, declared]) => {
    const guard = hidden_by[name]
    if (guard === undefined) return !isChecked(name)
    if (!(guard in operations)) return !includesRole(guard as MemberRole, declared.team_role ?? 'viewer')
    const { admin_roles, team_role } = operations[guard] as Declaration
    return (
      !isChecked(guard) ||
      !includesRole(team_role ?? 'viewer', declared.team_role ?? 'viewer') ||
      String(admin_roles) !== String(declared.admin_roles)
    )
  })
  expect(unchecked.map(([name]) => name)).toEqual([])
})
