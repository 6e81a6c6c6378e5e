import { expect, test } from 'vitest'
import { staffNames } from './staff-names.rules.ts'

const isStaff = staffNames([])
const found = (names: string, check = isStaff) => names.split(' ').filter((name) => check(name))

test('D-118: names of the platform and its staff, in any case, with separators, digits and look-alikes', () => {
  const names =
    'admin Admin ADMIN a.d.m.i.n admin_ _admin- adm1n 4dm1n Adm1n7 admin123 99admin ADMlN adrnin plaza Plaza p1aza pIaza p1a2a PLAZA_ ' +
    'plaza_support p1aza_support Plaza.Supp0rt PlazaSupport plaza-team theplazateam the.real.plaza support supp0rt 5upport 5upp0rt support24 ' +
    'moderator m0derat0r mod mods staff plaza_staff official_plaza plaza-official root r00t system sysadmin administrator adrninistrator ' +
    'ada_support admin.ada ada-moderator AdaAdmin john.plaza.support johnplazaadmin helpdesk security postmaster noreply'
  expect(found(names)).toEqual(names.split(' '))
})

test('D-118: letters of other alphabets, styled letters, accents and invisible characters change nothing', () => {
  const names = [
    'аdmin',
    'рlаzа',
    'ѕuрроrt',
    'αdmin',
    '𝓪𝓭𝓶𝓲𝓷',
    'ａｄｍｉｎ',
    'ádmïn',
    'ad\u200Bmin',
    'ɑdmın',
    'Plаzа Support',
    '@dmin',
    '$upport',
  ]
  expect(names.filter((name) => !isStaff(name))).toEqual([])
})

test('D-118: names that only hold such words, or resemble them less, are free', () => {
  const names =
    'ada badminton supporter unsupported modern modesty moderna staffan plaza_ada maria.plaza plazamodena rooted beet_root ecosystem ' +
    'teamwork officialdom administer adam damian helpful amin adminton 1234 ___ person-admin7x'
  expect(found(names)).toEqual([])
})

test('D-118: the platform beside a duty, and titles among such words, whatever else is in the name', () => {
  const names =
    'official-plaza-x OfficialPlazaX x.official.plaza plaza_bank p1aza_bank plazabank plazabank_x PlazaBankX bank.of.x_plaza_bank gm_plaza ' +
    'gm_plaza_x GMplaza plaza_help_x plazahelp.x plaza-refunds-7x plaza_the_bank_x plaza_ceo plaza_verified_ada plaza_security_ada ' +
    'techsupport TechSupport tech_support_ada techsupport_ada customersupport livesupport_2 support.agent.x the.plaza.crew plaza_it'
  expect(found(names)).toEqual(names.split(' '))
})

test('D-118: innocent names with such words in them are free', () => {
  const names =
    'plazaro bankrobber plazabanda bank ada_bank gm gmoney gm_ada techno tech_ada technics plaza_mayor plaza.de.toros the_plaza_rat ' +
    'my_plaza_days live_in_the_plaza plazahelpers plazabankers officially helper agent_ada managers crew dev newsreader payday owner ' +
    'item it_girl plaza_italia verified_ada official_ada points painter customer infoplazero realplayer ' +
    'sup_port_city ad_min_x sta_ff_ord'
  expect(found(names)).toEqual([])
})

test('D-118: a name that repeats such words is checked in time', () => {
  expect(isStaff(`${'helpdesk'.repeat(40)}x`)).toBe(false)
  expect(isStaff(`${'a.'.repeat(100)}x`)).toBe(false)
})

test('D-118: RESERVED_USERNAMES adds names of the platform', () => {
  const check = staffNames(['Acme Inc.', 'c++', ' '])
  const names = 'acmeinc Acme_Inc acme-1nc acmeinc_support theacmeincteam plaza'
  expect(found(names, check)).toEqual(names.split(' '))
  expect(found('acme acmeincident ada', check)).toEqual([])
})
