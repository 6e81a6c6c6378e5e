import { useMutation } from '@tanstack/react-query'
import { noticeKindsOf, type NoticeKind } from '../../../contract/kinds/notices.ts'
import { forgetDevice, listDevices, registerDevice } from '../../../contract/notice-devices.ts'
import { callApi } from '../../api/call.ts'
import { invalidate, useApiQuery } from '../../api/hooks.ts'
import { currentSession } from '../../session/session.ts'
import { t } from '../../texts.ts'
import { findSubscription, installWorker } from '../../worker.ts'

/** Whether this browser can show notices while the console is closed. */
export const hasPush = 'serviceWorker' in navigator && 'PushManager' in globalThis && 'Notification' in globalThis

/** Subscribes this browser, which asks the person the first time. A private window refuses it after the permission. */
async function subscribe(public_key: string) {
  const refuse = () => {
    throw new Error(t('inbox.this-device.blocked'))
  }
  if ((await Notification.requestPermission()) !== 'granted') refuse()
  await installWorker()
  const { pushManager } = await navigator.serviceWorker.ready
  // A subscription with another key is unusable.
  await (await pushManager.getSubscription())?.unsubscribe()
  return pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: public_key }).catch((error: unknown) => {
    if (error instanceof DOMException && error.name === 'NotAllowedError') refuse()
    throw error
  })
}

interface Change {
  kinds: NoticeKind[]
  with_texts: boolean
}

/** The devices that get notices, and a function that changes the kinds for this one: none removes it. */
export function useThisDevice() {
  const { data } = useApiQuery(listDevices, {})
  const device = data?.devices.findLast(({ is_this_session }) => is_this_session)
  const change = useMutation({
    mutationFn: async ({ kinds, with_texts }: Change) => {
      if (kinds.length === 0) {
        await (await findSubscription())?.unsubscribe()
        if (device) await callApi(forgetDevice, { params: { id: device.id } })
        return
      }
      const known = device && (await findSubscription())
      const { endpoint = '', keys = {} } = (known ?? (await subscribe(data?.public_key ?? ''))).toJSON()
      const { p256dh = '', auth = '' } = keys
      await callApi(registerDevice, { body: { endpoint, keys: { p256dh, auth }, kinds, with_texts } })
    },
    onSettled: () => invalidate([listDevices]),
  })
  const { kinds, with_texts }: Change = change.isPending
    ? change.variables
    : { kinds: device?.kinds ?? [], with_texts: device?.with_texts ?? false }
  return {
    is_on: device !== undefined,
    devices: data?.devices ?? [],
    has: (kind: NoticeKind) => kinds.includes(kind),
    set: (kind: NoticeKind, on: boolean) =>
      change.mutate({ kinds: on ? [...kinds, kind] : kinds.filter((one) => one !== kind), with_texts }),
    with_texts,
    showTexts: (on: boolean) => change.mutate({ kinds, with_texts: on }),
    start: () =>
      change.mutate({ kinds: noticeKindsOf(currentSession()?.user ?? { is_admin: false }), with_texts: false }),
    stop: () => change.mutate({ kinds: [], with_texts: false }),
    is_pending: change.isPending,
    error: change.error,
  }
}

export type ThisDevice = ReturnType<typeof useThisDevice>
