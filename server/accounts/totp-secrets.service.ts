import type { Sql } from '../platform/postgres/database.ts'
import { backfillKeyIds, type SealedRows } from '../platform/sealed-rows.ts'
import { openTotp, sealTotp } from './totp-secrets.rules.ts'
import { countTotpSealedWith, listSealedTotp, listTotpKeyIds, replaceSealedTotp } from './totp-secrets.store.ts'
import type { AccountKeys, AccountsDeps } from './service.ts'

/** The two-factor secrets of all accounts, including unfinished set-ups (D-14). */
export const totpSecrets = (db: Sql, { totp }: Pick<AccountKeys, 'totp'>): SealedRows => ({
  noun: 'two-factor secret',
  keyIds: () => listTotpKeyIds(db),
  count: (key_id) => countTotpSealedWith(db, key_id),
  list: (key_id, after, rows_max) => listSealedTotp(db, { key_id, after, rows_max }),
  keyOf: ({ sealed, key_id }) => openTotp(totp, sealed, key_id)?.key_id,
  reseal({ sealed, key_id }) {
    const opened = openTotp(totp, sealed, key_id)
    return opened && sealTotp(totp, opened.secret).sealed
  },
  replace: (changes, key_id) => replaceSealedTotp(db, changes, key_id),
  rows_at_once: 200,
})

/** Records which key sealed the secrets written by version 0.1, found by trial decryption. Bounded, safe to run twice. */
export const recordTotpKeyIds = ({ db, keys }: AccountsDeps) =>
  backfillKeyIds(totpSecrets(db, keys), { rows_max: 1_000, batches_max: 100 })
