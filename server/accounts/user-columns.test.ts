import { expect, test } from 'vitest'
import { admin_user } from '../../contract/admin.ts'
import { sharedService } from '../test/harness.ts'
import { namesShown, user_columns } from './user-columns.rules.ts'

const plaza = await sharedService()

test('D-106: every column of users is declared, with its place in the export and in the list of the admins', async () => {
  const columns = await plaza.db.sql<{ name: string }>`
    select column_name as name from information_schema.columns
     where table_schema = 'public' and table_name = 'users'`
  const names = columns.map(({ name }) => name)
  expect(names.filter((name) => !(name in user_columns))).toEqual([])
  expect(Object.keys(user_columns).filter((name) => !names.includes(name))).toEqual([])
})

test('D-40: the list of the admins has the columns that are declared for it, and the points', () => {
  const shown: string[] = namesShown('in_admin_list')
  expect(Object.keys(admin_user.properties).toSorted()).toEqual([...shown, 'points'].toSorted())
})
