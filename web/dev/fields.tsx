import {
  Button,
  Checkbox,
  Group,
  PasswordInput,
  Radio,
  SegmentedControl,
  Switch,
  Textarea,
  TextInput,
} from '@mantine/core'
import { useState } from 'react'
import { createApp } from '../../contract/oauth-apps.ts'
import { useContractForm } from '../forms/contract-form.ts'
import { Form } from '../forms/form.tsx'
import { ListInput } from '../forms/list-input.tsx'
import { NewPasswordInput } from '../forms/new-password-input.tsx'
import { NumberField } from '../forms/number-field.tsx'
import { useSingleField } from '../forms/single-field.ts'
import { DayField, DayFields } from '../ui/day-fields.tsx'
import type { Days } from '../ui/day-range.ts'
import { HoldDays, NoHolds } from '../ui/hold-days.tsx'
import { LanguageSelect } from '../ui/language-select.tsx'
import { Select } from '../ui/select.tsx'
import { forever, nothing, refusals, row, type Parts } from './part.tsx'

const tiers = ['bronze', 'silver', 'gold']

/** The inputs of Mantine in one state. */
const inputs = (props: { description?: string; error?: string; disabled?: boolean }) =>
  row(
    <TextInput label="Name" placeholder="Sticker Shop" {...props} />,
    <PasswordInput label="Password" miw={180} {...props} />,
    <Select label="Tier" data={tiers} {...props} />,
    <Textarea label="About" {...props} />,
    <Checkbox label="Listed" mt="xl" {...props} />,
    <Switch label="Mails" mt="xl" {...props} />,
  )

export const fields: Parts = {
  'new-password-input.tsx': <NewPasswordInput label="New password" maw={280} />,
  Inputs: {
    empty: inputs({}),
    'with a description': inputs({ description: 'People read this at sign-in.' }),
    invalid: inputs({ error: 'Fill this in.' }),
    disabled: inputs({ disabled: true }),
    filled: row(
      <TextInput label="Name" defaultValue="Sticker Shop" />,
      <PasswordInput label="Password" miw={180} defaultValue="secret" />,
      <Select label="Tier" data={tiers} defaultValue="silver" />,
      <Textarea label="About" defaultValue="Stickers for laptops and lunch boxes." />,
      <Checkbox label="Listed" mt="xl" defaultChecked />,
      <Switch label="Mails" mt="xl" defaultChecked />,
    ),
    'one of several': row(
      <SegmentedControl data={tiers} />,
      <Radio.Group defaultValue="silver" label="Tier">
        <Group mt={4}>
          {tiers.map((tier) => (
            <Radio key={tier} value={tier} label={tier} />
          ))}
        </Group>
      </Radio.Group>,
    ),
  },
  'number-field.tsx': <Numbers />,
  'day-fields.tsx': <DaysInUse />,
  'hold-days.tsx': {
    '': <HoldDays onChange={nothing} />,
    'no open hold': <NoHolds all={(part) => part} />,
    'no open hold on these days': <NoHolds from="2031-01-01" all={(part) => <b>{part}</b>} />,
  },
  'language-select.tsx': <LanguageSelect />,
  'single-field.ts': <OneField />,
  'form.tsx, contract-form.ts': {
    'send it: fields are checked, then the service refuses two of them': (
      <AppForm call={() => Promise.reject(refusals.fields)} />
    ),
    'refused as a whole': <AppForm call={() => Promise.reject(refusals.conflict)} />,
    'no answer yet': <AppForm call={forever} />,
  },
}

function Numbers() {
  const [value, setValue] = useState<number | string>(1234.5)
  return row(
    <NumberField label="Payout rate" decimal value={value} onChange={setValue} />,
    <NumberField label="Port" grouped={false} value={8080} />,
    <NumberField label="Points" value="twelve" error="Enter a number." />,
    <NumberField label="Points" value={7} disabled />,
  )
}

function DaysInUse() {
  const [days, setDays] = useState<Days>({ from: '2031-01-01' })
  return row(
    <DayFields {...days} onChange={setDays} />,
    <DayField label="Until" day={days.to} onDay={(to) => setDays({ ...days, to })} />,
  )
}

function OneField() {
  const { form, field } = useSingleField({
    validate: (value) => (value.includes('@') ? undefined : 'Enter an e-mail address.'),
    onSubmit: nothing,
  })
  return (
    <form {...form}>
      <Group align="flex-start">
        <TextInput aria-label="E-mail address" placeholder="you@example.com" {...field} />
        <Button type="submit">Send</Button>
      </Group>
    </form>
  )
}

function AppForm({ call }: { call: () => Promise<never> }) {
  const form = useContractForm(createApp, {
    initial: { app_name: 'Sticker Shop', redirect_uris: ['https://shop.example/a', 'https://shop.example/b'] },
    lists: ['redirect_uris'],
    ignore_unsaved: true,
    call,
  })
  return (
    <Form form={form} maw={480} action="Register">
      <TextInput label="Name" {...form.field('app_name')} />
      <ListInput
        list={form.list('redirect_uris')}
        label="Redirect URIs"
        description="Where the browser returns to."
        nameOf={(number) => `Address ${number}`}
        removalOf={(number) => `Remove address ${number}`}
        add_label="Another address"
      />
    </Form>
  )
}
