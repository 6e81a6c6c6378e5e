import {
  Button,
  Checkbox,
  Group,
  PasswordInput,
  Radio,
  SegmentedControl,
  Select,
  Switch,
  Textarea,
  TextInput,
} from '@mantine/core'
import { useState } from 'react'
import { createApp } from '../../contract/oauth-apps.ts'
import { useContractForm } from '../forms/contract-form.ts'
import { Form } from '../forms/form.tsx'
import { NewPasswordInput } from '../forms/new-password-input.tsx'
import { NumberField } from '../forms/number-field.tsx'
import { useSingleField } from '../forms/single-field.ts'
import { DayField, DayFields, type Days } from '../ui/day-fields.tsx'
import { HoldDays, NoHolds } from '../ui/hold-days.tsx'
import { LanguageSelect } from '../ui/language-select.tsx'
import { AddButton, RemoveButton } from '../ui/list-buttons.tsx'
import { forever, Part, refusals, State, States } from './part.tsx'

const error = 'Fill this in.'
const description = 'People read this at sign-in.'
const tiers = ['bronze', 'silver', 'gold']

export const Fields = () => (
  <>
    <Part file="new-password-input.tsx">
      <NewPasswordInput label="New password" maw={280} />
    </Part>
    <Part file="Inputs">
      {[
        ['empty', {}],
        ['with a description', { description }],
        ['invalid', { error }],
        ['disabled', { disabled: true }],
      ].map(([name, props]) => (
        <State key={name as string} name={name as string}>
          <States>
            <TextInput label="Name" placeholder="Sticker Shop" {...(props as object)} />
            <PasswordInput label="Password" miw={180} {...(props as object)} />
            <Select label="Tier" data={tiers} {...(props as object)} />
            <Textarea label="About" {...(props as object)} />
            <Checkbox label="Listed" mt="xl" {...(props as object)} />
            <Switch label="Mails" mt="xl" {...(props as object)} />
          </States>
        </State>
      ))}
      <State name="filled">
        <States>
          <TextInput label="Name" defaultValue="Sticker Shop" />
          <PasswordInput label="Password" miw={180} defaultValue="secret" />
          <Select label="Tier" data={tiers} defaultValue="silver" />
          <Textarea label="About" defaultValue="Stickers for laptops and lunch boxes." />
          <Checkbox label="Listed" mt="xl" defaultChecked />
          <Switch label="Mails" mt="xl" defaultChecked />
        </States>
      </State>
      <State name="one of several">
        <States>
          <SegmentedControl data={tiers} />
          <Radio.Group defaultValue="silver" label="Tier">
            <Group mt={4}>
              {tiers.map((tier) => (
                <Radio key={tier} value={tier} label={tier} />
              ))}
            </Group>
          </Radio.Group>
        </States>
      </State>
    </Part>
    <Part file="number-field.tsx">
      <States>
        <Numbers />
      </States>
    </Part>
    <Part file="day-fields.tsx">
      <DaysInUse />
    </Part>
    <Part file="hold-days.tsx">
      <HoldDays onChange={() => {}} />
      <State name="no open hold, and none on the days">
        <NoHolds all={(part) => part} />
        <NoHolds from="2031-01-01" all={(part) => <b>{part}</b>} />
      </State>
    </Part>
    <Part file="language-select.tsx">
      <States>
        <LanguageSelect />
      </States>
    </Part>
    <Part file="single-field.ts">
      <OneField />
    </Part>
    <Part file="form.tsx, contract-form.ts">
      <State name="send it: fields are checked, then the service refuses two of them">
        <AppForm call={() => Promise.reject(refusals.fields)} />
      </State>
      <State name="refused as a whole">
        <AppForm call={() => Promise.reject(refusals.conflict)} />
      </State>
      <State name="no answer yet">
        <AppForm call={forever} />
      </State>
    </Part>
  </>
)

function Numbers() {
  const [value, setValue] = useState<number | string>(1234.5)
  return (
    <>
      <NumberField label="Payout rate" decimal value={value} onChange={setValue} />
      <NumberField label="Port" grouped={false} value={8080} />
      <NumberField label="Points" value="twelve" error="Enter a number." />
      <NumberField label="Points" value={7} disabled />
    </>
  )
}

function DaysInUse() {
  const [days, setDays] = useState<Days>({ from: '2031-01-01' })
  return (
    <States>
      <DayFields {...days} onChange={setDays} />
      <DayField label="Until" day={days.to} onDay={(to) => setDays({ ...days, to })} />
    </States>
  )
}

function OneField() {
  const { form, field } = useSingleField({
    validate: (value) => (value.includes('@') ? undefined : 'Enter an e-mail address.'),
    onSubmit: () => {},
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
  const { items, item, setItem, add, remove } = form.list('redirect_uris')
  return (
    <Form form={form} maw={480} action="Register">
      <TextInput label="Name" {...form.field('app_name')} />
      {items.map((_, at) => (
        <Group key={at} align="flex-start" wrap="nowrap">
          <TextInput
            flex={1}
            aria-label={`Address ${at + 1}`}
            {...item(at)}
            onChange={({ currentTarget }) => setItem(at, currentTarget.value)}
          />
          <RemoveButton label={`Remove address ${at + 1}`} onClick={() => remove(at)} />
        </Group>
      ))}
      <Group>
        <AddButton onClick={() => add('')}>Another address</AddButton>
      </Group>
    </Form>
  )
}
