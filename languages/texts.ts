// Printed by scripts/print-texts.ts from en.json: npm run print.

type None = Record<never, never>

/** The kinds of the values of every text. */
export interface Texts {
  'account.address-change.a-mail-is-on-its-way': { strong: 'value'; digits: 'value'; lifetime_seconds: 'value' }
  'account.address-change.change-the-address': None
  'account.address-change.code-from-the-mail': None
  'account.address-change.keep-the-old-address': None
  'account.address-change.mail-me-a-code': None
  'account.address-change.new-address': None
  'account.address-change.no-mail-look-in-the-spam': None
  'account.address-change.this-code-is-wrong-or-too': None
  'account.address-change.your-address-is-changed-and-verified': None
  'account.address-change.your-address-is-it-stays-until': { strong: 'value'; verified: 'case'; undo_days: 'value' }
  'account.connected-apps.apps-that-have-access-to-your': None
  'account.connected-apps.connected': { last_used: 'value'; time: 'value' }
  'account.connected-apps.disconnect': { app_name: 'value' }
  'account.connected-apps.disconnect-2': None
  'account.connected-apps.disconnect-3': { bdi: 'value' }
  'account.connected-apps.is-disconnected': { bdi: 'value' }
  'account.connected-apps.it-can-no-longer-read-or': None
  'account.connected-apps.its-movements': None
  'account.connected-apps.last-used': { time: 'value' }
  'account.connected-apps.no-connected-apps': None
  'account.connected-apps.not-used-yet': None
  'account.connected-apps.see-the-apps': None
  'account.connected-apps.what-may-do': { app_name: 'value' }
  'account.connected-apps.when-you-sign-in-to-an': None
  'account.daily-limit.at-most-in-24-hours': { daily_limit: 'value' }
  'account.daily-limit.change': None
  'account.daily-limit.daily-limit-daily-limit-of': { daily_limit: 'case'; app_name: 'value' }
  'account.daily-limit.no-daily-limit': None
  'account.daily-limit.set-one': None
  'account.daily-limit.used-in-the-last-24-hours': { daily_limit_used: 'value' }
  'account.details.address-and-name': None
  'account.details.where-mails-reach-you-and-what': None
  'account.export-button.the-movements-are-saved-as-a': None
  'account.leave.connected-apps-lose-their-access': { connected_apps: 'value' }
  'account.leave.count': { count: 'number' }
  'account.leave.delete-it-for-good': None
  'account.leave.delete-my-account': None
  'account.leave.delete-your-account': None
  'account.leave.delete-your-account-for-good': None
  'account.leave.download-everything-as-json': None
  'account.leave.keep-my-account': None
  'account.leave.leave-plaza': None
  'account.leave.nobody-can-bring-the-account-back': None
  'account.leave.on-your-account-are-lost': { strong: 'value' }
  'account.leave.one-file-with-all-that-plaza': None
  'account.leave.take-everything-along': None
  'account.leave.take-everything-along-that-is-stored': None
  'account.leave.the-file-is-saved': None
  'account.leave.this-cannot-be-undone-with-your': None
  'account.leave.you-are-no-longer-among-your': { friends: 'value' }
  'account.leave.you-are-the-last-admin-of': None
  'account.leave.you-have-no-points-to-lose': None
  'account.leave.your-app-is-withdrawn': { strong: 'value'; count: 'value'; has_earned: 'case'; points: 'value' }
  'account.leave.your-deployment-is-destroyed': { strong: 'value' }
  'account.leave.your-name-address-and-words-are': { days: 'value' }
  'account.limit-dialog.at-most-in-24-hours': { daily_limit: 'value' }
  'account.limit-dialog.daily-limit-of': { bdi: 'value' }
  'account.limit-dialog.points-in-24-hours': None
  'account.limit-dialog.the-limit-is-removed': None
  'account.limit-dialog.what-the-app-spends-sends-or': None
  'account.movement-filter.all': None
  'account.movement-filter.direction': None
  'account.movement-filter.every-kind': None
  'account.movement-filter.filter': None
  'account.movement-filter.from': None
  'account.movement-filter.in': None
  'account.movement-filter.kind': None
  'account.movement-filter.out': None
  'account.movement-filter.show-every-app': None
  'account.movement-table.amount': None
  'account.movement-table.from': { person: 'value' }
  'account.movement-table.left': { points_after: 'value' }
  'account.movement-table.movements-of-your-points': None
  'account.movement-table.reference': { reference: 'value' }
  'account.movement-table.to': { person: 'value' }
  'account.movement-table.what': None
  'account.movements.account-closed': None
  'account.movements.award': None
  'account.movements.between-people': None
  'account.movements.for-a-referral': None
  'account.movements.for-registering': None
  'account.movements.hosting': None
  'account.movements.hosting-stipend': None
  'account.movements.learning-reward': None
  'account.movements.play-points': None
  'account.movements.received': None
  'account.movements.refund': None
  'account.movements.sent': None
  'account.movements.spent-in-an-app': None
  'account.name-change.change-the-name': None
  'account.name-change.new-name': None
  'account.name-change.to-letters-digits-dots-hyphens-or': { username_min: 'value'; username_max: 'value' }
  'account.name-change.your-name-is-after-a-change': { strong: 'value'; name_reserved_days: 'value' }
  'account.name-change.your-name-is-changed': None
  'account.new-recovery-codes.make-new-codes': None
  'account.new-recovery-codes.make-new-recovery-codes': None
  'account.new-recovery-codes.the-codes-that-you-have-now': None
  'account.next-steps.enter-the-code': None
  'account.next-steps.enter-the-code-that-was-mailed': { email: 'value' }
  'account.next-steps.set-it-up': None
  'account.next-steps.then-a-stolen-password-alone-does': None
  'account.next-steps.turn-on-two-factor-authentication': None
  'account.next-steps.verify-your-e-mail-address': None
  'account.next-steps.what-to-do-next': None
  'account.open-holds.an-app-that-is-gone': None
  'account.open-holds.held-by-apps': None
  'account.open-holds.set-aside-for-a-purchase-that': None
  'account.overview.change-address-or-name': None
  'account.overview.change-it': None
  'account.overview.direct-referrals': { direct_referrals: 'number' }
  'account.overview.download-it-or-leave-plaza': None
  'account.overview.e-mail': None
  'account.overview.earned-in-all': None
  'account.overview.invite-somebody': None
  'account.overview.mail-me-a-new-code': None
  'account.overview.nobody-has-used-it-yet': None
  'account.overview.not-verified': None
  'account.overview.notices': None
  'account.overview.off': None
  'account.overview.on': None
  'account.overview.people-who-register-with-your-link': None
  'account.overview.profile': None
  'account.overview.see-every-movement': None
  'account.overview.set-it-up': None
  'account.overview.sign-ins': None
  'account.overview.spent-in-all': None
  'account.overview.two-factor': None
  'account.overview.verified': None
  'account.overview.what-you-are-told': None
  'account.overview.where-you-are-signed-in': None
  'account.overview.you-get-times-the-usual-referral': { signup_multiplier: 'value' }
  'account.overview.you-have': None
  'account.overview.your-account': None
  'account.overview.your-data': None
  'account.overview.your-profile-your-points-and-your': None
  'account.overview.your-referral-link': None
  'account.overview.your-referral-link-2': None
  'account.pages.account': None
  'account.pages.address-and-name': None
  'account.pages.address-and-name-keywords': None
  'account.pages.connected-apps': None
  'account.pages.connected-apps-keywords': None
  'account.pages.leave-plaza': None
  'account.pages.leave-plaza-keywords': None
  'account.pages.points': None
  'account.pages.points-keywords': None
  'account.pages.security': None
  'account.pages.security-keywords': None
  'account.pages.sign-ins': None
  'account.pages.sign-ins-keywords': None
  'account.pages.your-account': None
  'account.pages.your-account-keywords': None
  'account.passkey-dialog.add-a-passkey': None
  'account.passkey-dialog.at-most-characters': { name_max: 'value' }
  'account.passkey-dialog.give-it-a-name': None
  'account.passkey-dialog.it-is-your-last-passkey-your': None
  'account.passkey-dialog.no-longer-signs-in-remove-it': { bdi: 'value' }
  'account.passkey-dialog.remove-it': None
  'account.passkey-dialog.remove-the-passkey': None
  'account.passkey-dialog.rename-the-passkey': None
  'account.passkey-dialog.the-passkey-is-added-next-time': None
  'account.passkey-dialog.the-passkey-is-removed': None
  'account.passkey-dialog.to-tell-it-from-your-other': None
  'account.passkey-dialog.your-browser-asks-next-where-to': None
  'account.passkey-second-factor.after-the-password': None
  'account.passkey-second-factor.ask-for-a-passkey-too': None
  'account.passkey-second-factor.ask-from-now-on': None
  'account.passkey-second-factor.asked-for': None
  'account.passkey-second-factor.may-be-used': None
  'account.passkey-second-factor.no-longer-ask': None
  'account.passkey-second-factor.no-longer-ask-for-a-passkey': None
  'account.passkey-second-factor.not-asked-for': None
  'account.passkey-second-factor.signing-in-with-your-password-asks': None
  'account.passkey-second-factor.signing-in-with-your-password-now': None
  'account.passkey-second-factor.somebody-who-knows-your-password-then': None
  'account.passkey-second-factor.when-you-sign-in-with-your': None
  'account.passkey-second-factor.your-passkeys': None
  'account.passkey-second-factor.your-password-alone-signs-in-you': None
  'account.passkey-second-factor.your-password-is-then-enough-to': None
  'account.passkeys.a-sign-in-with-it-was': { time: 'value' }
  'account.passkeys.add-a-passkey': None
  'account.passkeys.added': { time: 'value'; last_used_at: 'value' }
  'account.passkeys.last-used': { time: 'value' }
  'account.passkeys.not-used-yet': None
  'account.passkeys.only-after-the-password': None
  'account.passkeys.passkeys': None
  'account.passkeys.remove': { name: 'value' }
  'account.passkeys.remove-2': None
  'account.passkeys.rename': { name: 'value' }
  'account.passkeys.rename-2': None
  'account.passkeys.this-browser-cannot-use-passkeys-open': None
  'account.passkeys.this-plaza-cannot-have-passkeys-browsers': { bdi: 'value' }
  'account.password-change.at-least-characters-a-few-words': { password_min: 'value' }
  'account.password-change.change-the-password': None
  'account.password-change.current-password': None
  'account.password-change.show-the-current-password': None
  'account.password-change.show-the-new-password': None
  'account.password-change.this-is-the-password-that-you': None
  'account.password-change.you-stay-signed-in-here-and': None
  'account.password-change.your-password-is-changed-all-other': None
  'account.points-chart.90-days': None
  'account.points-chart.a-year': None
  'account.points-chart.balance-from-to-today-at-first': { day: 'value'; balance: 'value' }
  'account.points-chart.balance-over-time': None
  'account.points-chart.how-far-back': None
  'account.points-chart.in': { earned: 'value' }
  'account.points-chart.no-days-to-show': None
  'account.points-chart.now-between-and': { balance: 'value'; low: 'value'; high: 'value' }
  'account.points-chart.out': { spent: 'value' }
  'account.points.earn-your-first-ones-by-learning': { link: 'tag' }
  'account.points.earned-in-all': None
  'account.points.give-me-points': None
  'account.points.held-by-apps': None
  'account.points.history': None
  'account.points.no-points-have-moved-yet': None
  'account.points.nothing-matches-the-filter': None
  'account.points.show-every-movement': None
  'account.points.spent-in-all': None
  'account.points.your-balance-and-its-full-history': None
  'account.proof-fields.from-your-authenticator-app-or-a': None
  'account.proof-fields.show-the-password': None
  'account.proof-fields.this-change-needs-a-code-from': None
  'account.proof-fields.this-code-is-wrong-or-was': None
  'account.proof-fields.your-password': None
  'account.proof-form.enter-a-two-factor-code-too': None
  'account.proof-form.enter-the-code': None
  'account.proof-form.enter-your-password': None
  'account.proof-form.from-your-authenticator-app-or-a': None
  'account.proof-form.or-use-a-passkey-below': None
  'account.proof-form.show-the-password': None
  'account.proof-form.so-that-nobody-else-changes-this': None
  'account.proof-form.this-code-is-wrong-or-was': None
  'account.proof-form.use-a-passkey': None
  'account.prove-dialog.go-on': None
  'account.prove-dialog.is-it-you': None
  'account.prove-dialog.this-needs-a-proof': None
  'account.recovery-codes.all-codes': None
  'account.recovery-codes.copy-all': None
  'account.recovery-codes.download': None
  'account.recovery-codes.each-works-once': None
  'account.recovery-codes.i-have-saved-these-codes': None
  'account.recovery-codes.if-you-lose-each-of-these': { lost: 'value' }
  'account.recovery-codes.recovery-codes': None
  'account.recovery-codes.recovery-codes-for': { host: 'value' }
  'account.recovery-codes.save-your-recovery-codes': None
  'account.recovery-codes.save-your-recovery-codes-first-they': None
  'account.recovery-codes.two-factor-authentication-is-on': None
  'account.recovery-codes.your-phone': None
  'account.security.if-you-do-not-know-one': None
  'account.security.off': None
  'account.security.on': None
  'account.security.passkeys': None
  'account.security.security': None
  'account.security.see-all-sign-ins': None
  'account.security.sign-in-with-your-fingerprint-your': None
  'account.security.signing-in-then-needs-a-code': None
  'account.security.two-factor-authentication': None
  'account.security.where-you-are-signed-in': None
  'account.security.your-passkeys-and-password-two-factor': None
  'account.sessions.each-of-them-has-to-sign': None
  'account.sessions.end': { name: 'value' }
  'account.sessions.end-all-other-sign-ins': None
  'account.sessions.end-all-others': None
  'account.sessions.end-count': { count: 'number' }
  'account.sessions.end-it': None
  'account.sessions.every-browser-and-device-that-is': None
  'account.sessions.sign-ins': None
  'account.sessions.signed-in-ends-by-itself': { time: 'value'; time_2: 'value' }
  'account.sessions.the-sign-in-is-ended': None
  'account.sessions.this-one': None
  'account.sessions.you-are-signed-in-here-only': None
  'account.two-factor-off.after-that-your-password-alone-is': None
  'account.two-factor-off.turn-it-off': None
  'account.two-factor-off.turn-two-factor-authentication-off': None
  'account.two-factor-off.two-factor-authentication-is-off-its': None
  'account.two-factor-setup.code': None
  'account.two-factor-setup.enter-the-six-digits-that-the': None
  'account.two-factor-setup.no-camera-enter-this-key-by': None
  'account.two-factor-setup.open-it-in-an-app-on': None
  'account.two-factor-setup.qr-code-with-the-key-for': None
  'account.two-factor-setup.save-the-recovery-codes-that-follow': None
  'account.two-factor-setup.scan-this-with-your-authenticator-app': None
  'account.two-factor-setup.the-key': None
  'account.two-factor-setup.this-code-is-not-right-it': None
  'account.two-factor-setup.turn-it-on': None
  'account.two-factor.make-new-recovery-codes': None
  'account.two-factor.set-up-two-factor-authentication': None
  'account.two-factor.turn-it-off': None
  'account.two-factor.without-your-phone-you-can-sign': None
  'account.two-factor.you-need-an-authenticator-app-such': None
  'account.user-agent.unknown-program': None
  'admin.app-changes.changed-since-approval': None
  'admin.app-changes.now': None
  'admin.app-changes.sends-people-to': None
  'admin.app-changes.what-changed': None
  'admin.app-queue.all-apps-are-reviewed-new-apps': None
  'admin.app-queue.an-app-appears-here-when-its': None
  'admin.app-queue.approve-and-list': None
  'admin.app-queue.approve-and-list-2': None
  'admin.app-queue.approve-listed': { bdi: 'value'; listed: 'case' }
  'admin.app-queue.approve-unlisted': None
  'admin.app-queue.approve-unlisted-2': None
  'admin.app-queue.asked-once-more': None
  'admin.app-queue.changed-since-approval': None
  'admin.app-queue.counts-as-approved-as-it-is': { bdi: 'value' }
  'admin.app-queue.is-approved-listed': { bdi: 'value'; listed: 'case' }
  'admin.app-queue.is-rejected': { bdi: 'value' }
  'admin.app-queue.it-counts-as-approved-as-it': None
  'admin.app-queue.its-approval-is-withdrawn-all-its': None
  'admin.app-queue.kept-with-the-decision-and-in': None
  'admin.app-queue.listed': None
  'admin.app-queue.mark-as-seen': None
  'admin.app-queue.mark-as-seen-2': None
  'admin.app-queue.mark-the-change-of-as-seen': { bdi: 'value' }
  'admin.app-queue.no-app-has-changed-since-its': None
  'admin.app-queue.no-app-is-pending-review': None
  'admin.app-queue.no-description': None
  'admin.app-queue.nobody-can-sign-in-with-it': None
  'admin.app-queue.none': None
  'admin.app-queue.not-listed': None
  'admin.app-queue.not-required': None
  'admin.app-queue.reason-given': None
  'admin.app-queue.registered-it-people-can-sign-in': { mark: 'value'; listed: 'case' }
  'admin.app-queue.reject': None
  'admin.app-queue.reject-2': { bdi: 'value' }
  'admin.app-queue.reject-3': None
  'admin.app-queue.rejected-before-because': None
  'admin.app-queue.required': None
  'admin.app-queue.sends-people-to': None
  'admin.app-queue.submitted-again': None
  'admin.app-queue.there-are-none': None
  'admin.audit-action.app-approve': None
  'admin.audit-action.app-reject': None
  'admin.audit-action.app-resubmit': None
  'admin.audit-action.app-seen': None
  'admin.audit-action.campaign-create': None
  'admin.audit-action.campaign-update': None
  'admin.audit-action.case-decide': None
  'admin.audit-action.deploy-tier-create': None
  'admin.audit-action.deploy-tier-update': None
  'admin.audit-action.deployment-payment': None
  'admin.audit-action.deployment-reactivate': None
  'admin.audit-action.deployment-read-output': None
  'admin.audit-action.deployment-roll-back': None
  'admin.audit-action.deployment-suspend': None
  'admin.audit-action.job-discard': None
  'admin.audit-action.job-retry': None
  'admin.audit-action.message-read': None
  'admin.audit-action.points-award': None
  'admin.audit-action.scope-request-approved': None
  'admin.audit-action.scope-request-denied': None
  'admin.audit-action.user-confirm-proof': None
  'admin.audit-action.user-end-sessions': None
  'admin.audit-action.user-leave': None
  'admin.audit-action.user-mute': None
  'admin.audit-action.user-read': None
  'admin.audit-action.user-remove-second-factor': None
  'admin.audit-action.user-send-verification': None
  'admin.audit-action.user-start-proof': None
  'admin.audit-action.user-unmute': None
  'admin.audit-action.user-update': None
  'admin.audit-action.user-wrong-code': None
  'admin.audit-details.done-by': None
  'admin.audit-details.done-to': None
  'admin.audit-details.filter-by-this-action': None
  'admin.audit-details.filter-by-this-person': None
  'admin.audit-details.filter-by-this-target': None
  'admin.audit-details.nothing-in-particular': None
  'admin.audit-export.export-as-csv': None
  'admin.audit-export.the-entries-are-saved-as-a': None
  'admin.audit.a-person-or-app-by-name': None
  'admin.audit.action': None
  'admin.audit.any': None
  'admin.audit.anybody-by-name': None
  'admin.audit.clear': None
  'admin.audit.count-2-read-hasnextpage': { count: 'value'; count_2: 'number'; hasNextPage: 'case' }
  'admin.audit.details': None
  'admin.audit.done-by': None
  'admin.audit.done-to': None
  'admin.audit.entries': None
  'admin.audit.filter-the-log': None
  'admin.audit.from': None
  'admin.audit.no-entry-matches-the-filter': None
  'admin.audit.nothing-has-been-changed-yet': None
  'admin.audit.only-entries-actor-id-the-one': { actor_id: 'case' }
  'admin.audit.the-action-and-the-names-must': None
  'admin.audit.to': None
  'admin.audit.who': None
  'admin.audit.who-changed-what-newest-first-entries': None
  'admin.award-form.already-awarded': None
  'admin.award-form.award': { amount: 'value' }
  'admin.award-form.award-2': { amount: 'value' }
  'admin.award-form.award-3': { amount: 'value' }
  'admin.award-form.award-points': None
  'admin.award-form.awarded-the-balance-is-now': { formatPoints: 'value'; points: 'value' }
  'admin.award-form.gets-this-cannot-be-undone': { bdi: 'value'; strong: 'value' }
  'admin.award-form.no-approved-app-has-that-name': None
  'admin.award-form.on-behalf-of-an-app': None
  'admin.award-form.only-admins-see-it-in-the': None
  'admin.award-form.optional-without-an-app-the-award': None
  'admin.award-form.outcome-unknown': None
  'admin.award-form.the-beginning-of-a-username-or': None
  'admin.award-form.the-user-sees-it-in-the': None
  'admin.award-form.write-why-the-audit-log-keeps': None
  'admin.campaign-form.a-higher-weight-is-shown-more': None
  'admin.campaign-form.a-json-object-sent-to-the': None
  'admin.campaign-form.active-may-be-shown-within-its': None
  'admin.campaign-form.bitcoin-tier': None
  'admin.campaign-form.create-the-campaign': None
  'admin.campaign-form.empty-at-once': None
  'admin.campaign-form.empty-never': None
  'admin.campaign-form.empty-no-limit': None
  'admin.campaign-form.ends': None
  'admin.campaign-form.fill-this-in': None
  'admin.campaign-form.is-created': { name: 'value' }
  'admin.campaign-form.is-saved': { name: 'value' }
  'admin.campaign-form.it-must-end-after-it-starts': None
  'admin.campaign-form.most-impressions': None
  'admin.campaign-form.payout-rate': None
  'admin.campaign-form.sent-to-the-app-unchanged': None
  'admin.campaign-form.sent-to-the-app-with-each': None
  'admin.campaign-form.starts': None
  'admin.campaign-form.surface': None
  'admin.campaign-form.targeting': None
  'admin.campaign-form.this-is-not-valid-json-put': None
  'admin.campaign-form.weight': None
  'admin.campaign-form.write-an-object-country-lu': None
  'admin.campaigns.active': None
  'admin.campaigns.ads-that-apps-may-show-with': None
  'admin.campaigns.campaign': None
  'admin.campaigns.campaigns': None
  'admin.campaigns.clicks': None
  'admin.campaigns.edit-the-campaign': None
  'admin.campaigns.ended': { time: 'value' }
  'admin.campaigns.ends': { time: 'value' }
  'admin.campaigns.impressions': None
  'admin.campaigns.impressions-of-used-up': { name: 'value' }
  'admin.campaigns.is-active': { name: 'value'; active: 'case' }
  'admin.campaigns.is-active-2': { name: 'value' }
  'admin.campaigns.new-campaign': None
  'admin.campaigns.no-campaign-yet': None
  'admin.campaigns.no-end-date': None
  'admin.campaigns.no-start-date': None
  'admin.campaigns.of': { shown: 'value'; most: 'value' }
  'admin.campaigns.rate': None
  'admin.campaigns.runs': None
  'admin.campaigns.started': { time: 'value' }
  'admin.campaigns.starts': { time: 'value' }
  'admin.campaigns.until-there-is-one-apps-that': None
  'admin.campaigns.weight': None
  'admin.case-detail.about-the-person': None
  'admin.case-detail.account': None
  'admin.case-detail.all-their-reports': { time: 'value'; reporter_counts: 'value' }
  'admin.case-detail.an-admin-who-has-left': None
  'admin.case-detail.as-it-was-typed': { body: 'value' }
  'admin.case-detail.by': { decided_by_username: 'value'; decided_at: 'value'; muted: 'case'; muted_until: 'value' }
  'admin.case-detail.is-an-admin': None
  'admin.case-detail.may-sign-in-and-write': None
  'admin.case-detail.messages-around': None
  'admin.case-detail.muted-until': { time: 'value' }
  'admin.case-detail.now': None
  'admin.case-detail.often-dismissed': None
  'admin.case-detail.open-acted-on-dismissed': { open: 'value'; acted: 'value'; dismissed: 'value' }
  'admin.case-detail.reported': None
  'admin.case-detail.show-it-as-it-was-typed': None
  'admin.case-detail.suspended': None
  'admin.case-detail.the-account-is-gone': None
  'admin.case-detail.the-audit-log-notes-that-you': None
  'admin.case-detail.the-reported-message': None
  'admin.case-detail.these-are-the-newest': { count: 'value' }
  'admin.case-detail.was-reported': None
  'admin.case-detail.who-reported': None
  'admin.case-detail.wrote-a-message-that-was-reported': None
  'admin.case-dialog.advertising-is-not-allowed-here': None
  'admin.case-dialog.already-decided': None
  'admin.case-dialog.another-admin': None
  'admin.case-dialog.decide': None
  'admin.case-dialog.decided-this-on-yours-was-not': { decided_by_username: 'value'; decided_at: 'value'; actions: 'value' }
  'admin.case-dialog.decided-those-who-reported-are-told': { actions: 'value' }
  'admin.case-dialog.dismiss': None
  'admin.case-dialog.dismiss-these-reports': None
  'admin.case-dialog.how-long': None
  'admin.case-dialog.insults-are-not-allowed-here': None
  'admin.case-dialog.mute-in-chat-they-can-read': None
  'admin.case-dialog.nothing-is-done-about-who-is': { name: 'value' }
  'admin.case-dialog.remove-the-message-its-place-stays': None
  'admin.case-dialog.suspend-the-account-all-sessions-end': None
  'admin.case-dialog.this-is-a-disagreement-that-people': None
  'admin.case-dialog.this-is-not-against-the-rules': None
  'admin.case-dialog.this-was-said-before-and-not': None
  'admin.case-dialog.usual-reasons': None
  'admin.case-dialog.what-is-done-about': { name: 'value' }
  'admin.case-dialog.who-reads-the-reason': { dismisses: 'case'; name: 'value' }
  'admin.case-texts.1-day': None
  'admin.case-texts.1-hour': None
  'admin.case-texts.1-week': None
  'admin.case-texts.count': { count: 'number' }
  'admin.case-texts.dismissed': None
  'admin.case-texts.message-removed': None
  'admin.case-texts.muted': None
  'admin.case-texts.suspended': None
  'admin.cases.all': None
  'admin.cases.all-reports-are-decided-new-ones': None
  'admin.cases.decided': None
  'admin.cases.dismiss': None
  'admin.cases.mute': None
  'admin.cases.no-report-waits': None
  'admin.cases.open': None
  'admin.cases.remove-message': None
  'admin.cases.reports': None
  'admin.cases.there-are-none': None
  'admin.cases.what-people-reported-the-oldest-that': None
  'admin.cases.what-was-reported-about-one-person': None
  'admin.check-unchanged.was-already-decided-by-another-admin': { name: 'value' }
  'admin.deployment-filters.choose-an-owner-first': None
  'admin.deployment-filters.the-one-that-you-came-from': None
  'admin.deployment.accepted-the-earlier-release-takes-over': None
  'admin.deployment.an-admin-has-suspended-it': None
  'admin.deployment.another-tier': None
  'admin.deployment.domain': None
  'admin.deployment.each-change-is-a-release-what': None
  'admin.deployment.every-look-is-recorded': None
  'admin.deployment.host': None
  'admin.deployment.it-is-suspended-since-it-is': None
  'admin.deployment.it-is-suspended-since-its-owner': None
  'admin.deployment.last-deployed': None
  'admin.deployment.last-health-check': { time: 'value' }
  'admin.deployment.no-release-is-known-yet': None
  'admin.deployment.none-of-its-own': None
  'admin.deployment.none-yet': None
  'admin.deployment.not-charged': None
  'admin.deployment.nothing-differs-it-would-stay-as': None
  'admin.deployment.of-memory': { memory_limit_mb: 'value'; cpu_limit_millicores: 'value' }
  'admin.deployment.of-ready': { ready_replicas: 'value'; replicas: 'value' }
  'admin.deployment.of-the-app': { link: 'value' }
  'admin.deployment.output': None
  'admin.deployment.show-all': { count: 'value' }
  'admin.deployment.show-the-output': None
  'admin.deployment.take-back-to-release': { subdomain: 'value'; number: 'value' }
  'admin.deployment.the-audit-log-records-who-read': None
  'admin.deployment.the-owner-reads-it-in-the': None
  'admin.deployment.there-is-no-such-deployment': None
  'admin.deployment.what-admins-did-with-it': None
  'admin.deployment.what-it-is': None
  'admin.deployment.what-the-containers-write-to-stdout': None
  'admin.deployments.actions-for': { subdomain: 'value' }
  'admin.deployments.any': None
  'admin.deployments.anybody': None
  'admin.deployments.by': { suspended_by: 'value' }
  'admin.deployments.containers-of-all-apps-newest-first': None
  'admin.deployments.filter-deployments': None
  'admin.deployments.free': None
  'admin.deployments.health': None
  'admin.deployments.is-suspended': { subdomain: 'value' }
  'admin.deployments.it-returns-to-the-state-that': None
  'admin.deployments.its-container-stops-and-stays-stopped': None
  'admin.deployments.no-deployment-matches-the-filter': None
  'admin.deployments.nothing-is-deployed-yet': None
  'admin.deployments.optional-the-owner-reads-it-in': None
  'admin.deployments.owner-of': { subdomain: 'value' }
  'admin.deployments.reactivate': None
  'admin.deployments.reactivate-2': { subdomain: 'value' }
  'admin.deployments.reactivate-3': None
  'admin.deployments.record-a-payment': None
  'admin.deployments.suspend': { subdomain: 'value' }
  'admin.deployments.the-owner-reads-it-in-the': None
  'admin.deployments.the-payment-for-is-recorded': { subdomain: 'value' }
  'admin.deployments.the-suspension-of-is-lifted': { subdomain: 'value' }
  'admin.deployments.until': { time: 'value' }
  'admin.deployments.wanted': { desired: 'value' }
  'admin.hosts.accepts-connections': None
  'admin.hosts.another-app': None
  'admin.hosts.container-hosts': None
  'admin.hosts.containers-of-apps-reach-what-they': None
  'admin.hosts.containers-reach-nothing-that-they': None
  'admin.hosts.containers-reach-what-they-should-not': None
  'admin.hosts.docker': None
  'admin.hosts.docker-swarm': None
  'admin.hosts.engine': None
  'admin.hosts.is-not-blocked-though-nothing-listens': None
  'admin.hosts.isolation-of-apps': None
  'admin.hosts.it-could-not-be-tried': None
  'admin.hosts.it-has-not-been-tried-yet': None
  'admin.hosts.it-is-not-tried-isolation-says': None
  'admin.hosts.its-apps-go-on-as-they': None
  'admin.hosts.last-seen': None
  'admin.hosts.machines': None
  'admin.hosts.name-one-in-container-hosts-of': None
  'admin.hosts.no-container-host': None
  'admin.hosts.no-worker-reaches-it': None
  'admin.hosts.not-known-yet': None
  'admin.hosts.nothing-new-starts-here': None
  'admin.hosts.podman': None
  'admin.hosts.the-database': None
  'admin.hosts.the-engines-api': None
  'admin.hosts.the-host': None
  'admin.hosts.the-metadata-address-of-the-cloud': None
  'admin.hosts.the-private-registry': None
  'admin.hosts.what-it-cannot-do': None
  'admin.hosts.where-apps-run-as-the-workers': None
  'admin.jobs.a-job-that-fails-is-tried': None
  'admin.jobs.app': { app_id: 'value' }
  'admin.jobs.discard': None
  'admin.jobs.discard-it': None
  'admin.jobs.discard-job': { id: 'value' }
  'admin.jobs.discard-this-job': None
  'admin.jobs.failed-jobs': None
  'admin.jobs.it-will-never-be-done-this': { discarding: 'value' }
  'admin.jobs.job': None
  'admin.jobs.job-2': { id: 'value' }
  'admin.jobs.last-error': None
  'admin.jobs.mail-about-the-decision-on-an': None
  'admin.jobs.mail-about-the-decision-on-scopes': None
  'admin.jobs.mail-with-a-code-for-a': None
  'admin.jobs.mail-with-a-verification-code': None
  'admin.jobs.no-job-failed': None
  'admin.jobs.queued': None
  'admin.jobs.the-job-is-discarded': None
  'admin.jobs.the-job-is-tried-again': None
  'admin.jobs.the-process-that-ran-it-was': None
  'admin.jobs.try-again-job': { id: 'value' }
  'admin.jobs.user-of-job': { id: 'value' }
  'admin.jobs.work-in-the-background-that-failed': None
  'admin.ledger.account': None
  'admin.ledger.accounts': None
  'admin.ledger.check-again': None
  'admin.ledger.checks-that-debits-equal-credits-and': None
  'admin.ledger.count-listed-below-checked': { count: 'number' }
  'admin.ledger.credited': None
  'admin.ledger.debited': None
  'admin.ledger.error': None
  'admin.ledger.errors': None
  'admin.ledger.ledger-check': None
  'admin.ledger.no-errors-were-found-checked': None
  'admin.ledger.run-the-check': None
  'admin.ledger.the-check-reads-every-transfer-in': None
  'admin.ledger.the-ledger': None
  'admin.ledger.the-ledger-balances': None
  'admin.ledger.the-ledger-does-not-balance': None
  'admin.ledger.transferred': None
  'admin.ledger.transfers': None
  'admin.messages.a-chat-message-as-it-was': None
  'admin.messages.as-it-was-typed': None
  'admin.messages.as-others-read-it': None
  'admin.messages.channel': None
  'admin.messages.deleted-account': None
  'admin.messages.every-access-is-recorded': None
  'admin.messages.id-of-the-message': None
  'admin.messages.in-the-audit-log': None
  'admin.messages.it-stands-in-the-details-of': None
  'admin.messages.nothing-in-it-is-masked-everybody': None
  'admin.messages.raw-message': None
  'admin.messages.sent': None
  'admin.messages.sent-by': None
  'admin.messages.show-the-message': None
  'admin.messages.the-audit-log-records-who-read': None
  'admin.messages.the-message': None
  'admin.messages.who-read-it': None
  'admin.overview.all-users': None
  'admin.overview.app-asks-for-more-scopes': None
  'admin.overview.app-changed-after-it-was-approved': None
  'admin.overview.app-is-pending-approval': None
  'admin.overview.apps-and-requests-that-need-a': None
  'admin.overview.apps-are-pending-approval': None
  'admin.overview.apps-ask-for-more-scopes': None
  'admin.overview.apps-changed-after-they-were-approved': None
  'admin.overview.decide-reports': None
  'admin.overview.job-in-the-background-failed': None
  'admin.overview.jobs-in-the-background-failed': None
  'admin.overview.latest-changes': None
  'admin.overview.newest-users': None
  'admin.overview.nothing-has-been-changed-yet': None
  'admin.overview.nothing-to-review': None
  'admin.overview.of-the-newest-deployments-await-a': None
  'admin.overview.of-the-newest-deployments-awaits-a': None
  'admin.overview.of-the-newest-deployments-fail': None
  'admin.overview.of-the-newest-deployments-fails': None
  'admin.overview.report-waits-for-a-decision': None
  'admin.overview.reports-wait-for-a-decision': None
  'admin.overview.review-apps': None
  'admin.overview.review-requests': None
  'admin.overview.see-deployments': None
  'admin.overview.see-failed-jobs': None
  'admin.overview.see-what-changed': None
  'admin.overview.the-platform': None
  'admin.pages.administration': None
  'admin.pages.administration-keywords': None
  'admin.pages.all-deployments': None
  'admin.pages.all-deployments-keywords': None
  'admin.pages.audit-log': None
  'admin.pages.audit-log-keywords': None
  'admin.pages.award-points': None
  'admin.pages.campaigns': None
  'admin.pages.campaigns-keywords': None
  'admin.pages.container-hosts': None
  'admin.pages.container-hosts-keywords': None
  'admin.pages.deploy-tiers': None
  'admin.pages.deploy-tiers-keywords': None
  'admin.pages.deployment': None
  'admin.pages.failed-jobs': None
  'admin.pages.failed-jobs-keywords': None
  'admin.pages.ledger-check': None
  'admin.pages.ledger-check-keywords': None
  'admin.pages.payments': None
  'admin.pages.payments-keywords': None
  'admin.pages.pending-review': None
  'admin.pages.person': None
  'admin.pages.raw-message': None
  'admin.pages.raw-message-keywords': None
  'admin.pages.reports': None
  'admin.pages.reports-keywords': None
  'admin.pages.review': None
  'admin.pages.review-keywords': None
  'admin.pages.users': None
  'admin.pages.users-keywords': None
  'admin.payment-dialog.note': None
  'admin.payment-dialog.nothing': None
  'admin.payment-dialog.record-a-payment-for': { subdomain: 'value' }
  'admin.payment-dialog.record-it': None
  'admin.payment-dialog.such-as-the-id-of-the': None
  'admin.payment-dialog.the-next-cycle-counts-as-paid': { time: 'value' }
  'admin.payments.all': None
  'admin.payments.an-app-makes-one-when-it': None
  'admin.payments.an-app-that-is-gone': None
  'admin.payments.failing-since': None
  'admin.payments.failing-webhooks': None
  'admin.payments.find': None
  'admin.payments.from': None
  'admin.payments.gone': None
  'admin.payments.holds-have-ids-of-their-own': None
  'admin.payments.id-of-the-movement': None
  'admin.payments.kind': None
  'admin.payments.movements-of-points-holds-and-webhooks': None
  'admin.payments.no-holds': None
  'admin.payments.no-movement-has-this-id': None
  'admin.payments.no-webhook-fails': None
  'admin.payments.none-fits-the-filter': None
  'admin.payments.not-yet': None
  'admin.payments.of-it-were-returned': { refunded_amount: 'value' }
  'admin.payments.one-movement': None
  'admin.payments.one-that-fails-for-five-days': None
  'admin.payments.returns': None
  'admin.payments.somebody-who-is-gone': None
  'admin.payments.switched-off': None
  'admin.payments.the-app-the-person-and-every': None
  'admin.payments.the-spend': None
  'admin.payments.to': None
  'admin.payments.what-to-show': None
  'admin.person-access.at-most-points-a-day': { daily_limit: 'value' }
  'admin.person-access.changed-since-approval': None
  'admin.person-access.connected-last-used': { time: 'value'; time_2: 'value' }
  'admin.person-access.end': None
  'admin.person-access.end-the-session': None
  'admin.person-access.end-the-session-on': { user_agent: 'value' }
  'admin.person-access.end-the-session-on-2': { device: 'value' }
  'admin.person-access.is-signed-out-there-at-once': { username: 'value' }
  'admin.person-access.no-app-connected': None
  'admin.person-access.no-app-registered': None
  'admin.person-access.sessions': None
  'admin.person-access.signed-in-ends': { time: 'value'; time_2: 'value' }
  'admin.person-access.signed-in-nowhere': None
  'admin.person-access.the-session-is-over': None
  'admin.person-actions.a-code-and-a-link-go': { mark: 'value' }
  'admin.person-actions.a-code-was-mailed-ask-for': None
  'admin.person-actions.a-new-code-goes-to-one': { mark: 'value' }
  'admin.person-actions.all-sessions-of-the-console-end': { username: 'value' }
  'admin.person-actions.all-their-sessions-end-at-once': None
  'admin.person-actions.award-points': None
  'admin.person-actions.can-write-again': { username: 'value' }
  'admin.person-actions.confirm': None
  'admin.person-actions.end-all-sessions': None
  'admin.person-actions.end-all-sessions-2': None
  'admin.person-actions.enter-the-code': None
  'admin.person-actions.how-long': None
  'admin.person-actions.is-an-admin': None
  'admin.person-actions.is-an-admin-2': { username: 'value' }
  'admin.person-actions.is-muted': { username: 'value' }
  'admin.person-actions.is-no-longer-an-admin': { username: 'value' }
  'admin.person-actions.is-not-an-admin': None
  'admin.person-actions.is-signed-out-everywhere': { username: 'value' }
  'admin.person-actions.is-suspended': None
  'admin.person-actions.is-suspended-2': { username: 'value' }
  'admin.person-actions.its-recovery-codes-are-void-too': { username: 'value' }
  'admin.person-actions.let-them-sign-in': None
  'admin.person-actions.let-them-write': None
  'admin.person-actions.let-them-write-again': None
  'admin.person-actions.let-write-in-chat-again': { username: 'value' }
  'admin.person-actions.lift-the-suspension': None
  'admin.person-actions.lift-the-suspension-of': { username: 'value' }
  'admin.person-actions.lost-the-second-factor-first-they': None
  'admin.person-actions.mail-a-code': None
  'admin.person-actions.mail-a-code-that-proves-the': { username: 'value' }
  'admin.person-actions.mail-another-code': None
  'admin.person-actions.mail-the-code': None
  'admin.person-actions.mail-the-code-again': None
  'admin.person-actions.mail-the-verification-again': { username: 'value' }
  'admin.person-actions.make-an-admin': None
  'admin.person-actions.make-an-admin-2': { username: 'value' }
  'admin.person-actions.make-an-admin-3': None
  'admin.person-actions.may-read-in-chat-and-not': None
  'admin.person-actions.may-sign-in': None
  'admin.person-actions.may-sign-in-again': { username: 'value' }
  'admin.person-actions.may-write-in-chat': None
  'admin.person-actions.mute': None
  'admin.person-actions.mute-in-chat': None
  'admin.person-actions.mute-in-chat-2': { username: 'value' }
  'admin.person-actions.reads-it-in-a-mail-kept': { username: 'value' }
  'admin.person-actions.remove-the-admin-right': None
  'admin.person-actions.remove-the-admin-right-of': { username: 'value' }
  'admin.person-actions.remove-the-right': None
  'admin.person-actions.sign-out-everywhere': { username: 'value' }
  'admin.person-actions.signed-in-somewhere-they-should-not': None
  'admin.person-actions.signing-in': None
  'admin.person-actions.standing': None
  'admin.person-actions.suspend': { username: 'value' }
  'admin.person-actions.take-it-away': None
  'admin.person-actions.take-the-second-factor-away': None
  'admin.person-actions.take-the-second-factor-of-away': { username: 'value' }
  'admin.person-actions.the-8-digits-in-the-mail': { mark: 'value' }
  'admin.person-actions.the-address-is-not-verified': None
  'admin.person-actions.the-address-is-proved': None
  'admin.person-actions.the-address-is-proved-the-second': None
  'admin.person-actions.the-code-is-on-its-way': None
  'admin.person-actions.the-mail-is-on-its-way': None
  'admin.person-actions.the-second-factor-of-is-taken': { username: 'value' }
  'admin.person-actions.they-can-read-meanwhile': None
  'admin.person-actions.they-can-sign-in-again-at': None
  'admin.person-actions.they-can-write-at-once': None
  'admin.person-actions.they-may-do-everything-that-you': None
  'admin.person-actions.they-sign-in-with-the-password': None
  'admin.person-actions.they-stay-a-user-somebody-must': None
  'admin.person-actions.they-told-you-the-code': None
  'admin.person-actions.this-is-your-own-account': None
  'admin.person-actions.which-code-did-they-tell-you': None
  'admin.person-facts.a-code-was-mailed-good-until': { expires_at: 'value' }
  'admin.person-facts.and-held': { points: 'value'; held: 'value' }
  'admin.person-facts.ever-earned-ever-spent': None
  'admin.person-facts.id': None
  'admin.person-facts.multiplier': { tier: 'value'; signup_multiplier: 'value' }
  'admin.person-facts.no-proof-of-the-address-was': None
  'admin.person-facts.number': { registration_number: 'value' }
  'admin.person-facts.on-or-off': { on: 'case'; told: 'case'; proof: 'value' }
  'admin.person-facts.registered-as': None
  'admin.person-facts.registered-connected': { owned_apps: 'value'; connected_apps: 'value' }
  'admin.person-facts.second-factor': None
  'admin.person-facts.the-address-is-proved-until': { expires_at: 'value' }
  'admin.person-facts.the-id': None
  'admin.person-link.somebody-who-has-left': None
  'admin.person-lists.about-them': None
  'admin.person-lists.after': None
  'admin.person-lists.by': { strong: 'value'; mark: 'value'; time: 'value' }
  'admin.person-lists.by-them': None
  'admin.person-lists.movements': None
  'admin.person-lists.no-admin-has-changed-anything': None
  'admin.person-lists.no-app-ever-held-points': None
  'admin.person-lists.no-points-ever-moved': None
  'admin.person-lists.nobody-has-reported-them': None
  'admin.person-lists.nothing-deployed': None
  'admin.person-lists.open-in-the-audit-log': None
  'admin.person-lists.open-in-the-queue': None
  'admin.person-lists.the-person': None
  'admin.person-lists.they-have-reported-nothing': None
  'admin.person-lists.what': None
  'admin.person.admin': None
  'admin.person.connections': None
  'admin.person.movements': None
  'admin.person.muted-until': { muted_until: 'value' }
  'admin.person.open-cases': { open_cases: 'number' }
  'admin.person.overview': None
  'admin.person.parts-of-the-account': None
  'admin.person.reports': None
  'admin.person.search-people': None
  'admin.person.sessions': None
  'admin.person.suspended': None
  'admin.person.there-is-no-such-person': None
  'admin.points.a-new-award': None
  'admin.points.an-award-creates-new-points-it': None
  'admin.points.award-points': None
  'admin.points.by': None
  'admin.points.latest-awards': None
  'admin.points.nothing-has-been-awarded-yet': None
  'admin.points.to': None
  'admin.queue.already-decided': None
  'admin.queue.another-admin-has-decided-this-already': None
  'admin.queue.keys': None
  'admin.queue.move': None
  'admin.queue.selected-entry': None
  'admin.queue.while-the-focus-is-in-the': None
  'admin.reason-form.code-from-the-mail': None
  'admin.reason-form.kept-in-the-audit-log': None
  'admin.reason-form.write-why-the-audit-log-keeps': None
  'admin.review.all': None
  'admin.review.changed-since-approval': None
  'admin.review.denied': None
  'admin.review.new-apps-apps-that-request-more': None
  'admin.review.pending': None
  'admin.review.review': None
  'admin.review.what-to-review': None
  'admin.scope-queue.all-scope-requests-are-reviewed': None
  'admin.scope-queue.approve': None
  'admin.scope-queue.approve-2': None
  'admin.scope-queue.asks-for': None
  'admin.scope-queue.decided': None
  'admin.scope-queue.deny': None
  'admin.scope-queue.deny-2': None
  'admin.scope-queue.deny-the-request-of': { bdi: 'value' }
  'admin.scope-queue.give-these-scopes': { bdi: 'value' }
  'admin.scope-queue.has-the-scopes-it-asked-for': { bdi: 'value' }
  'admin.scope-queue.kept-with-the-decision-and-in': None
  'admin.scope-queue.no-scope-request-is-pending-review': None
  'admin.scope-queue.reason-given': None
  'admin.scope-queue.the-app-keeps-the-scopes-it': None
  'admin.scope-queue.the-request-of-is-denied': { bdi: 'value' }
  'admin.scope-queue.there-are-none': None
  'admin.search.an-id-has-36-characters-such': None
  'admin.status-badge.active': None
  'admin.status-badge.admin': None
  'admin.status-badge.approval-withdrawn': None
  'admin.status-badge.approved': None
  'admin.status-badge.awaiting-payment': None
  'admin.status-badge.billing': None
  'admin.status-badge.captured': None
  'admin.status-badge.crash-loop': None
  'admin.status-badge.denied': None
  'admin.status-badge.deploying': None
  'admin.status-badge.destroyed': None
  'admin.status-badge.disconnected': None
  'admin.status-badge.expired': None
  'admin.status-badge.healthy': None
  'admin.status-badge.image-not-found': None
  'admin.status-badge.no-answer-in-time': None
  'admin.status-badge.open': None
  'admin.status-badge.out-of-memory': None
  'admin.status-badge.owner': None
  'admin.status-badge.pending': None
  'admin.status-badge.registry-refused': None
  'admin.status-badge.rejected': None
  'admin.status-badge.released': None
  'admin.status-badge.restarting': None
  'admin.status-badge.running': None
  'admin.status-badge.starting': None
  'admin.status-badge.stopped': None
  'admin.status-badge.suspended': None
  'admin.status-badge.unhealthy': None
  'admin.status-badge.unknown': None
  'admin.status-badge.voided': None
  'admin.tier-form.a-number-such-as-1-0': None
  'admin.tier-form.ad-reach': None
  'admin.tier-form.add-to-the-catalogue': None
  'admin.tier-form.allows-a-custom-domain': None
  'admin.tier-form.cpu-millicores': None
  'admin.tier-form.empty-none': None
  'admin.tier-form.fill-this-in': None
  'admin.tier-form.how-callers-of-the-api-name': None
  'admin.tier-form.is-in-the-catalogue': { name: 'value' }
  'admin.tier-form.is-saved': { name: 'value' }
  'admin.tier-form.kept-in-the-audit-log': None
  'admin.tier-form.memory-mb': None
  'admin.tier-form.paid-in': None
  'admin.tier-form.points-a-month': None
  'admin.tier-form.points-paid-to-the-app-each': None
  'admin.tier-form.replicas-at-most': None
  'admin.tier-form.satoshis-a-month': None
  'admin.tier-form.saved': None
  'admin.tier-form.sign-up-multiplier': None
  'admin.tier-form.slug': None
  'admin.tier-form.small-letters-digits-and-hyphens-no': None
  'admin.tier-form.stipend': None
  'admin.tier-form.times-the-points-for-each-person': None
  'admin.tier-form.times-the-usual': None
  'admin.tiers.ad-reach': None
  'admin.tiers.add-one-so-that-people-can': None
  'admin.tiers.deploy-tiers': None
  'admin.tiers.edit-the-tier': None
  'admin.tiers.is-offered-again': { name: 'value' }
  'admin.tiers.is-retired': { name: 'value' }
  'admin.tiers.it-is-no-longer-offered-for': None
  'admin.tiers.limits-and-prices-of-containers-new': None
  'admin.tiers.limits-of-containers-prices-apply-when': { no_charge: 'value' }
  'admin.tiers.new-tier': None
  'admin.tiers.no-tier-yet': None
  'admin.tiers.offer-again': None
  'admin.tiers.offer-again-2': { name: 'value' }
  'admin.tiers.own-domain': None
  'admin.tiers.retire': { name: 'value' }
  'admin.tiers.retire-2': None
  'admin.tiers.retire-3': { name: 'value' }
  'admin.tiers.retire-the-tier': None
  'admin.tiers.retired': None
  'admin.tiers.stipend': None
  'admin.user-picker.nobody-has-that-name-address-or': None
  'admin.user-picker.searching': None
  'admin.user-picker.the-search-failed': None
  'admin.users.admin': None
  'admin.users.newest-first-every-change-is-recorded': None
  'admin.users.no-user-found': None
  'admin.users.search': None
  'admin.users.suspended': None
  'admin.users.the-beginning-of-a-username-or': None
  'admin.users.the-search-looks-at-the-beginning': None
  'api.errors.a-proxy-between-you-and-plaza': None
  'api.errors.plaza-cannot-be-reached-check-your': None
  'api.errors.the-service-answered': { status: 'value' }
  'build.access-gate.access-as-the-app-is-open': { scopes: 'value' }
  'build.access-gate.an-app-gets-no-token-unless': { what: 'value' }
  'build.access-gate.ask-for': { scope: 'value' }
  'build.access-gate.close-access': None
  'build.access-gate.open-access': None
  'build.access-gate.open-the-apps-access-to': { what: 'value' }
  'build.access-gate.plaza-answers-these-calls-only-to': { bold: 'value' }
  'build.access-gate.the-app-is-not-approved': None
  'build.access-gate.the-app-may-not-use': { scope: 'value' }
  'build.access-gate.to-the-app-needs-the-scope': { what: 'value'; code: 'value' }
  'build.access-gate.what-you-have-typed-is-kept': None
  'build.access-gate.you-then-count-as-one-of': { link: 'tag' }
  'build.access.another-person-is-signed-in-by': None
  'build.access.as-app': None
  'build.access.the-access-to-the-app-is': None
  'build.app-badges.in-the-directory': None
  'build.app-balance.12-months': None
  'build.app-balance.90-days': None
  'build.app-balance.balance-over-time': None
  'build.app-balance.day': None
  'build.app-balance.days': None
  'build.app-balance.days-and-months-of-utc': None
  'build.app-balance.earned': None
  'build.app-balance.how-far-back': None
  'build.app-balance.month': None
  'build.app-balance.months': None
  'build.app-balance.nothing-moved-in-this-time': None
  'build.app-balance.payments-and-refunds': None
  'build.app-balance.returned': None
  'build.app-balance.the-balance-at-the-end': { formatNumber: 'value' }
  'build.app-balance.the-chart-begins-with-the-first': None
  'build.app-figures.1-year': None
  'build.app-figures.a-spend-shows-here-as-soon': None
  'build.app-figures.as-app': None
  'build.app-figures.awards': None
  'build.app-figures.besides-you-ever-connected-left-or': None
  'build.app-figures.days': { range: 'value' }
  'build.app-figures.how-far-back': None
  'build.app-figures.in-the-last-days': { window_days: 'value' }
  'build.app-figures.none-among-your-own-last-transfers': { history_limit: 'value' }
  'build.app-figures.nothing-moved-in-the-last-days': { days: 'value' }
  'build.app-figures.plaza-lists-single-transfers-only-to': None
  'build.app-figures.points-that-people-spent-in-the': None
  'build.app-figures.see-its-figures': None
  'build.app-figures.spends': None
  'build.app-figures.spends-and-awards': None
  'build.app-figures.spends-and-awards-in-the-last': { days: 'value' }
  'build.app-figures.the-number-of-transfers-not-their': None
  'build.app-figures.what': None
  'build.app-figures.your-own-transfers-with-this-app': None
  'build.app-overview.an-admin-reviews-it-the-decision': None
  'build.app-overview.as-others-see-it': None
  'build.app-overview.ask-for-further-scopes-now-so': { link: 'tag' }
  'build.app-overview.at-a-glance': None
  'build.app-overview.changed': None
  'build.app-overview.check-the-redirect-uris-they-are': { link: 'tag' }
  'build.app-overview.client-id': None
  'build.app-overview.comes-back-to': None
  'build.app-overview.ever-connected-with-you-if-you': { total_users: 'value' }
  'build.app-overview.for-your-code': None
  'build.app-overview.guides-and-every-call-with-its': None
  'build.app-overview.may-use': None
  'build.app-overview.metadata': None
  'build.app-overview.not-given': None
  'build.app-overview.nothing': None
  'build.app-overview.plazas-address': None
  'build.app-overview.put-the-client-id-and-a': { link: 'tag' }
  'build.app-overview.read-the-guides-the-playground-shows': { link: 'tag'; link_2: 'tag' }
  'build.app-overview.required-of-everybody': None
  'build.app-overview.required-where-no-secret-is-sent': None
  'build.app-overview.say-what-it-does-the-admin': { link: 'tag'; app_description: 'case' }
  'build.app-overview.sign-in-as-a-test-person': None
  'build.app-overview.the-address-of-the-metadata': None
  'build.app-overview.the-client-id': None
  'build.app-payments.a-payment-shows-here-as-soon': { link: 'tag' }
  'build.app-payments.held-for-the-app': None
  'build.app-payments.no-payment-matches-the-filter': None
  'build.app-payments.nobody-has-paid-in-the-app': None
  'build.app-payments.paid-by-people': None
  'build.app-payments.returned': None
  'build.app-payments.show-every-payment': None
  'build.app-payments.the-payments-are-saved-as-a': None
  'build.app-review.correct-what-the-reason-names-in': { link: 'tag' }
  'build.app-review.decided': { time: 'value' }
  'build.app-review.is-submitted-again-an-admin-decides': { app_name: 'value' }
  'build.app-review.no-reason-was-given-ask-an': None
  'build.app-review.nobody-can-sign-in-with-this': { decided_at: 'value' }
  'build.app-review.reason-of-the-last-rejection': None
  'build.app-review.submit-again': None
  'build.app-review.submitted-again': { time: 'value' }
  'build.app-scopes.allowed-scopes': None
  'build.app-scopes.an-admin-decides-each-request-you': None
  'build.app-scopes.an-admin-decides-the-apps-description': None
  'build.app-scopes.an-admin-has-not-decided-yet': None
  'build.app-scopes.answer': None
  'build.app-scopes.ask-an-admin': None
  'build.app-scopes.ask-for-more': None
  'build.app-scopes.asked-for-already': None
  'build.app-scopes.denied': None
  'build.app-scopes.new-authorizations-with-count-are': { count: 'number' }
  'build.app-scopes.remove': { count: 'number'; scope: 'value' }
  'build.app-scopes.remove-2': { removed: 'value' }
  'build.app-scopes.remove-3': None
  'build.app-scopes.request-sent-an-admin-decides': None
  'build.app-scopes.scopes-to-ask-for': None
  'build.app-scopes.the-app-may-use-it-people': None
  'build.app-scopes.the-app-may-use-no-scope': None
  'build.app-scopes.the-reason-came-by-mail-say': None
  'build.app-scopes.the-scopes-are-removed': None
  'build.app-scopes.undo': None
  'build.app-scopes.untick-what-it-does-not-need': None
  'build.app-scopes.what-it-means': None
  'build.app-scopes.what-the-app-may-do': None
  'build.app-scopes.you-have-not-asked-for-any': None
  'build.app-secrets.add-a-secret': None
  'build.app-secrets.add-a-secret-and-put-it': None
  'build.app-secrets.added': None
  'build.app-secrets.an-app-may-have-up-to': { secrets_max: 'value' }
  'build.app-secrets.client-secrets': None
  'build.app-secrets.delete': None
  'build.app-secrets.delete-the-secret-ending-in': { hint: 'value' }
  'build.app-secrets.delete-the-secret-ending-in-2': { hint: 'value' }
  'build.app-secrets.do-this-now-and-then-and': None
  'build.app-secrets.it-stops-working-at-once-last': { last_used_at: 'case'; bold: 'value' }
  'build.app-secrets.last-used': None
  'build.app-secrets.never-used': None
  'build.app-secrets.replacing-a-secret-without-downtime': None
  'build.app-secrets.restart-your-server-and-wait-until': None
  'build.app-secrets.secret': None
  'build.app-secrets.the-app-has-no-secret': None
  'build.app-secrets.the-new-secret': None
  'build.app-secrets.the-secret-ending-in-is-deleted': { hint: 'value' }
  'build.app-secrets.wait-until-the-old-one-shows': None
  'build.app-secrets.what-can-be-done': None
  'build.app-secrets.without-one-it-can-exchange-codes': None
  'build.app-settings.a-stolen-code-is-then-useless': None
  'build.app-settings.fill-this-in': None
  'build.app-settings.require-pkce': None
  'build.app-settings.saved': None
  'build.app-settings.undo': None
  'build.app-webhooks.a-test-event-is-on-its': None
  'build.app-webhooks.add-an-address': None
  'build.app-webhooks.add-one-and-your-server-hears': None
  'build.app-webhooks.delete': None
  'build.app-webhooks.delete-it': None
  'build.app-webhooks.delete-this-address': None
  'build.app-webhooks.deliveries': None
  'build.app-webhooks.deliveries-to': { url: 'value' }
  'build.app-webhooks.edit': None
  'build.app-webhooks.every-event': None
  'build.app-webhooks.failing-since': { time: 'value' }
  'build.app-webhooks.for-24-hours-every-request-has': None
  'build.app-webhooks.make-a-new-secret': None
  'build.app-webhooks.make-it': None
  'build.app-webhooks.new-secret': None
  'build.app-webhooks.no-address-yet': None
  'build.app-webhooks.nothing-more-is-sent-to-also': { mark: 'value' }
  'build.app-webhooks.off': None
  'build.app-webhooks.off-it-failed-for-days': None
  'build.app-webhooks.on': None
  'build.app-webhooks.plaza-sends-what-happens-in-the': None
  'build.app-webhooks.send-a-test': None
  'build.app-webhooks.show-deliveries': None
  'build.app-webhooks.switch-off': None
  'build.app-webhooks.switch-on': None
  'build.app-webhooks.the-address-is-deleted': None
  'build.app-webhooks.the-secret-before-this-one-signs': { time: 'value' }
  'build.app-webhooks.the-webhooks-secret': None
  'build.app.figures': None
  'build.app.overview': None
  'build.app.parts-of-the-app': None
  'build.app.playground': None
  'build.app.secrets': None
  'build.app.see-your-apps': None
  'build.app.settings': None
  'build.app.you-have-no-such-app': None
  'build.apps.apps-of-yours-that-sign-people': None
  'build.apps.my-apps': None
  'build.apps.none': None
  'build.apps.register-an-app': None
  'build.apps.register-one-and-you-get-a': None
  'build.apps.register-your-first-app': None
  'build.apps.you-have-no-app-yet': None
  'build.authorize-step.address-of-the-consent-page': None
  'build.authorize-step.address-that-you-came-back-to': None
  'build.authorize-step.check-the-answer': None
  'build.authorize-step.comes-after-step-1': None
  'build.authorize-step.comes-after-the-user-has-answered': None
  'build.authorize-step.go-to-the-consent-page': None
  'build.authorize-step.open-the-consent-page': None
  'build.authorize-step.send-the-user-to-plaza': None
  'build.authorize-step.stays-with-the-app': { verifier: 'value' }
  'build.authorize-step.the-address-of-the-consent-page': None
  'build.authorize-step.the-answer-at-the-redirect-uri': None
  'build.authorize-step.the-app-keeps-verifier-and-state': None
  'build.authorize-step.the-user-comes-back-to-the': None
  'build.authorize-step.the-user-said-no-an-app': None
  'build.authorize-step.there-is-no-code-and-no': None
  'build.authorize-step.there-is-no-code-to-exchange': None
  'build.authorize-step.use-it': None
  'build.authorize-step.your-app-may-have-used-the': None
  'build.call-form.call': None
  'build.call-form.send-the-call': None
  'build.call-form.spend': { amount: 'value' }
  'build.call-form.spend-of-your-own': { amount: 'value' }
  'build.call-form.the-call-takes-from-your-own': { strong: 'value' }
  'build.call-form.the-token-lacks-see-what-an': { summary: 'value'; endpoint: 'value' }
  'build.callback.back-to-the-playground': None
  'build.callback.nothing-was-begun-in-this-tab': None
  'build.callback.open-the-playground': None
  'build.callback.this-address-belongs-to-an-authorization': None
  'build.choose-step.add-and-the-code-comes-back': { bold: 'value' }
  'build.choose-step.add-it-to-the-app': None
  'build.choose-step.authorize-refuses-apps-that-no-admin': None
  'build.choose-step.choose-what-to-ask-for': None
  'build.choose-step.make-the-proof-key': None
  'build.choose-step.redirect-uri': None
  'build.choose-step.start-over': None
  'build.choose-step.the-app-is-not-approved': None
  'build.choose-step.the-playground-is-not-among-the': None
  'build.choose-step.the-playground-may-receive-codes-of': None
  'build.choose-step.your-app-would-have-these-in': None
  'build.deliveries.again': { time: 'value' }
  'build.deliveries.all': None
  'build.deliveries.are-sent-again': { redelivered: 'value' }
  'build.deliveries.are-sent-again-there-are-more': { redelivered: 'value' }
  'build.deliveries.each-delivery-of-the-last-30': None
  'build.deliveries.event': None
  'build.deliveries.last-answer': None
  'build.deliveries.log-of': { url: 'value' }
  'build.deliveries.none': None
  'build.deliveries.nothing-was-sent-in-the-last': None
  'build.deliveries.send-everything-that-failed-again': None
  'build.deliveries.send-failed-ones-again': None
  'build.delivery-drawer.answer-to-attempt': { number: 'value' }
  'build.delivery-drawer.answered': { status_code: 'value' }
  'build.delivery-drawer.body-of-the-request': None
  'build.delivery-drawer.delivery': None
  'build.delivery-drawer.event': None
  'build.delivery-drawer.happened': None
  'build.delivery-drawer.in-ms': { time: 'value'; duration_ms: 'value' }
  'build.delivery-drawer.it-is-sent-again': None
  'build.delivery-drawer.no-answer': None
  'build.delivery-drawer.none-yet': None
  'build.delivery-drawer.request': None
  'build.delivery-drawer.the-id-of-the-event': None
  'build.delivery-drawer.to': None
  'build.exchange-view.answer': { title: 'value' }
  'build.exchange-view.copy-as-curl': None
  'build.exchange-view.ms': { ms: 'value' }
  'build.exchange-view.no-answer': None
  'build.exchange-view.no-body': None
  'build.exchange-view.on-its-way': None
  'build.exchange-view.request': { title: 'value' }
  'build.exchange.no-answer-came-is-plaza-within': None
  'build.flow.iss-is-and-not': { iss: 'value'; origin: 'value' }
  'build.flow.iss-is-this-plaza-the-answer': None
  'build.flow.missing': None
  'build.flow.state-is-not-the-one-that': None
  'build.flow.state-is-the-one-that-was': None
  'build.new-app.a-stolen-code-is-then-useless': None
  'build.new-app.an-admin-grants-it-separately-ticking': None
  'build.new-app.an-admin-reviews-it-next-you': None
  'build.new-app.go-to-the-app': None
  'build.new-app.is-registered': { bdi: 'value' }
  'build.new-app.needed-for-the-figures-in-this': None
  'build.new-app.people-see-it-when-they-let': None
  'build.new-app.register-an-app': None
  'build.new-app.register-the-app': None
  'build.new-app.require-pkce': None
  'build.new-app.tick-only-what-it-needs-every': None
  'build.new-app.verify-your-e-mail-address-first': None
  'build.new-app.verify-your-e-mail-address-then': { link: 'tag'; code: 'value' }
  'build.new-app.what-it-may-do': None
  'build.new-app.you-get-a-client-id-and': None
  'build.new-app.you-need-a-verified-address-to': { link: 'tag' }
  'build.new-secret.client-id': None
  'build.new-secret.client-secret': None
  'build.new-secret.download-as-env': None
  'build.new-secret.i-have-saved-the-secret': None
  'build.new-secret.it-is-shown-this-once-plaza': None
  'build.new-secret.leave': None
  'build.new-secret.leave-without-the-secret': None
  'build.new-secret.save-the-secret-now': None
  'build.new-secret.the': { label: 'value' }
  'build.new-secret.the-secret-belongs-on-your-server': None
  'build.new-secret.you-have-not-said-that-it': None
  'build.open-holds.are-released': { amount: 'value' }
  'build.open-holds.nobody': None
  'build.open-holds.nobody-any-more': None
  'build.open-holds.open-holds': None
  'build.open-holds.release': None
  'build.open-holds.release-2': { amount: 'value' }
  'build.open-holds.release-3': None
  'build.open-holds.release-of': { amount: 'value'; username: 'value' }
  'build.open-holds.set-aside-for-the-app-and': None
  'build.open-holds.the-person': None
  'build.open-holds.they-are-available-to-again-at': { bdi: 'value' }
  'build.pages.app': None
  'build.pages.back-to-the-playground': None
  'build.pages.my-apps': None
  'build.pages.my-apps-keywords': None
  'build.pages.playground': None
  'build.pages.playground-keywords': None
  'build.pages.register-an-app': None
  'build.pages.register-an-app-keywords': None
  'build.payment-drawer.all-of-it-is-returned': None
  'build.payment-drawer.deliveries': None
  'build.payment-drawer.hold': None
  'build.payment-drawer.nothing-was-sent-the-app-had': None
  'build.payment-drawer.paid-by': None
  'build.payment-drawer.payment': None
  'build.payment-drawer.received-by': None
  'build.payment-drawer.refunds': None
  'build.payment-drawer.returned-to': None
  'build.payment-drawer.sent-by': None
  'build.payment-drawer.somebody-who-is-gone': None
  'build.payment-drawer.the-id-of-the-payment': None
  'build.payment-drawer.were-held-captured': { amount: 'value'; formatPoints: 'value' }
  'build.payment-drawer.what': None
  'build.payment-filter.clear': None
  'build.payment-filter.every-kind': None
  'build.payment-filter.filter': None
  'build.payment-filter.from': None
  'build.payment-filter.kind': None
  'build.payment-filter.refunds': None
  'build.payment-filter.whole-username': None
  'build.payment-table.nobody-any-more': None
  'build.payment-table.what': None
  'build.payments.between-people': None
  'build.payments.captured-hold': None
  'build.payments.payment': None
  'build.payments.refund': None
  'build.pkce.your-browser-computes-a-challenge-only': None
  'build.playground.let-your-own-app-in-as': None
  'build.playground.playground': None
  'build.playground.register-an-app': None
  'build.playground.show-secrets': None
  'build.playground.the-playground-needs-an-app-of': None
  'build.playground.tokens-and-secrets-stay-in-the': None
  'build.redirect-uris.add-another': None
  'build.redirect-uris.add-the-playgrounds': None
  'build.redirect-uris.enter-a-whole-address-such-as': None
  'build.redirect-uris.redirect-uri': { at: 'value' }
  'build.redirect-uris.redirect-uris': None
  'build.redirect-uris.remove-redirect-uri': { at: 'value' }
  'build.redirect-uris.where-people-come-back-to-after': None
  'build.refund-form.are-returned': { formatPoints: 'value' }
  'build.refund-form.between-1-and-more-is-not': { refundable_amount: 'value' }
  'build.refund-form.can-be-returned': { refundable_amount: 'value' }
  'build.refund-form.gets-back-from-the-app-this': { bdi: 'value'; strong: 'value' }
  'build.refund-form.refund': None
  'build.refund-form.return': { amount: 'value' }
  'build.refund-form.return-2': { amount: 'value' }
  'build.refund-form.the-person': None
  'build.refund-form.the-person-sees-it': None
  'build.token-steps.call-plaza-for-the-user': None
  'build.token-steps.client-secret': None
  'build.token-steps.comes-after-step-3-has-brought': None
  'build.token-steps.comes-after-step-4-has-brought': None
  'build.token-steps.every-call-carries-the-access-token': None
  'build.token-steps.every-other-call-can-be-tried': { link: 'tag' }
  'build.token-steps.exchange-the-code': None
  'build.token-steps.exchange-the-code-for-tokens': None
  'build.token-steps.introspect': None
  'build.token-steps.optional-with-a-verifier-stays-in': None
  'build.token-steps.refresh-look-at-and-revoke-tokens': None
  'build.token-steps.refreshing-needs-the-client-secret-and': None
  'build.token-steps.revoke-the-access-token': None
  'build.token-steps.revoke-the-refresh-token': None
  'build.token-steps.show-the-client-secret': None
  'build.token-steps.the-apps-server-sends-code-and': None
  'build.webhook-form.add': None
  'build.webhook-form.add-an-address': None
  'build.webhook-form.change-the-address': None
  'build.webhook-form.choose-at-least-one': None
  'build.webhook-form.events': None
  'build.webhook-form.every-event-also-those-that-are': None
  'build.webhook-form.https-reachable-from-the-internet': None
  'build.webhook-form.the-address-is-changed': None
  'build.webhook-secret.any-verifier-of-standard-webhooks-takes': None
  'build.webhook-secret.i-have-saved-the-secret': None
  'build.webhook-secret.it-is-shown-this-once-if': None
  'build.webhook-secret.save-the-secret-now': None
  'build.webhook-secret.secret': None
  'build.webhook-secret.the-secret': None
  'common.30-days': None
  'common.actions': None
  'common.address': None
  'common.all-deployments': None
  'common.app': None
  'common.approved': None
  'common.apps': None
  'common.asked': None
  'common.attempts': None
  'common.audit': None
  'common.audit-log': None
  'common.balance': None
  'common.balance-after': None
  'common.begin': None
  'common.billing': None
  'common.cancel': None
  'common.connected-apps': None
  'common.created': None
  'common.custom-domain': None
  'common.deleted-account': None
  'common.deployment': None
  'common.deployments': None
  'common.description': None
  'common.documentation': None
  'common.done': None
  'common.e-mail-address': None
  'common.expires': None
  'common.go-on': None
  'common.holds': None
  'common.hosting-tier': None
  'common.image': None
  'common.joined': None
  'common.limits': None
  'common.loading': None
  'common.logo': None
  'common.made': None
  'common.memory': None
  'common.name': None
  'common.new-password': None
  'common.not-verified': None
  'common.owner': None
  'common.password': None
  'common.payments': None
  'common.pending-review': None
  'common.person': None
  'common.points': None
  'common.processor': None
  'common.reason': None
  'common.reference': None
  'common.refresh': None
  'common.registered': None
  'common.rejected': None
  'common.releases': None
  'common.replicas': None
  'common.roll-back': None
  'common.save': None
  'common.save-changes': None
  'common.scope-requests': None
  'common.scopes': None
  'common.send-again': None
  'common.shortcuts': None
  'common.sign-in': None
  'common.sign-out': None
  'common.state': None
  'common.status': None
  'common.suspend': None
  'common.suspend-2': None
  'common.the-platform': None
  'common.tier': None
  'common.try-again': None
  'common.two-factor-code': None
  'common.until': None
  'common.user': None
  'common.username': None
  'common.users': None
  'common.webhooks': None
  'common.website': None
  'common.when': None
  'common.your-friends': None
  'console.page.accounts': None
  'console.page.admin': None
  'console.page.build': None
  'console.page.decisions': None
  'console.page.hosting': None
  'console.page.money': None
  'console.page.operation': None
  'console.page.people': None
  'console.page.personal': None
  'console.page.sandbox': None
  'console.page.you': None
  'deployments.availability.add-a-tier-under-tiers': { link: 'tag' }
  'deployments.availability.check-that-docker-runs-on-the': { code: 'value'; code_2: 'value' }
  'deployments.availability.hosting-is-not-available-here-yet': None
  'deployments.availability.hosting-is-not-available-right-now': None
  'deployments.availability.no-machine-that-runs-containers-can': None
  'deployments.availability.no-registry-is-set-up-that': None
  'deployments.availability.no-tier-is-offered': None
  'deployments.availability.set-at-least-one-of-and': { code: 'value'; code_2: 'value'; code_3: 'value'; code_4: 'value' }
  'deployments.availability.start-docker-on-the-machine-of': { code: 'value'; code_2: 'value'; code_3: 'value' }
  'deployments.availability.the-operator-of-this-plaza-can': None
  'deployments.availability.there-is-no-machine-that-runs': None
  'deployments.availability.these-are-settings-of-the-service': { code: 'value' }
  'deployments.change-form.accepted-the-new-release-takes-over': None
  'deployments.change-form.add-or-replace-variables': None
  'deployments.change-form.begin-with-the-registry-registry-example': None
  'deployments.change-form.empty-for-none-another-one-is': None
  'deployments.change-form.it-has-no-variables-of-its': None
  'deployments.change-form.nothing-yet': None
  'deployments.change-form.port': None
  'deployments.change-form.roll-out': None
  'deployments.change-form.take-away-variables': None
  'deployments.change-form.the-present-one': None
  'deployments.change-form.those-that-are-not-marked-stay': None
  'deployments.change-form.to-give-a-variable-another-value': None
  'deployments.change-form.what-changes': None
  'deployments.deployment.a-restart-fetches-anew-what-the': { link: 'tag' }
  'deployments.deployment.awaiting-payment': None
  'deployments.deployment.container': None
  'deployments.deployment.host': None
  'deployments.deployment.it-was-destroyed-or-it-belongs': { mark: 'value' }
  'deployments.deployment.last-deployed': None
  'deployments.deployment.last-health-check': { time: 'value' }
  'deployments.deployment.look-after-its-deployment': None
  'deployments.deployment.none-yet': None
  'deployments.deployment.not-charged': None
  'deployments.deployment.of': { status_badge: 'value'; link: 'value' }
  'deployments.deployment.of-memory': { memory_limit_mb: 'value'; cpu_limit_millicores: 'value' }
  'deployments.deployment.of-ready': { ready_replicas: 'value'; replicas: 'value' }
  'deployments.deployment.paid': None
  'deployments.deployment.see-the-deployments': None
  'deployments.deployment.stopped': None
  'deployments.deployment.suspended-too-few-points': None
  'deployments.deployment.the-name-of-the-container': None
  'deployments.deployment.the-state-could-not-be-read': None
  'deployments.deployment.there-is-no-such-deployment': None
  'deployments.deployment.what-it-is': None
  'deployments.deployments.choose-an-image-a-name-and': None
  'deployments.deployments.containers-that-plaza-runs-for-your': None
  'deployments.deployments.deploy-a-container': None
  'deployments.deployments.manage-its-deployments': None
  'deployments.deployments.nothing-is-deployed-for-this-app': None
  'deployments.differences.what-changes': None
  'deployments.domain-view.check-now': None
  'deployments.domain-view.not-verified-yet': None
  'deployments.domain-view.point-the-domain-itself-at-this': None
  'deployments.domain-view.press-check-now-or-wait-plaza': { unproved_minutes: 'value' }
  'deployments.domain-view.publish-this-txt-record-where-the': None
  'deployments.domain-view.the-name-of-the-record': None
  'deployments.domain-view.the-value-of-the-record': None
  'deployments.domain-view.this-plazas-name-servers-do-not': None
  'deployments.domain-view.type': None
  'deployments.domain-view.value': None
  'deployments.domain-view.verified': None
  'deployments.domain-view.verified-keep-the-record-it-is': { time: 'value' }
  'deployments.env-editor.add-a-variable': None
  'deployments.env-editor.add-the-variables': None
  'deployments.env-editor.content-of-the-file': None
  'deployments.env-editor.count': { count: 'number' }
  'deployments.env-editor.environment': None
  'deployments.env-editor.name-of-variable': { at: 'value' }
  'deployments.env-editor.name-value-on-each-line-comments': None
  'deployments.env-editor.no-variable-found-yet': None
  'deployments.env-editor.paste-a-env-file': None
  'deployments.env-editor.remove': { name: 'value' }
  'deployments.env-editor.stored-encrypted-and-never-shown-again': None
  'deployments.env-editor.value': None
  'deployments.env-editor.value-of': { name: 'value' }
  'deployments.env-editor.variable': { at: 'value' }
  'deployments.env.at-most-variables-these-are': { keys_max: 'value'; count: 'value' }
  'deployments.env.give-it-a-name': None
  'deployments.env.letters-digits-and-only-and-no': None
  'deployments.env.plaza-sets-port-itself-to-the': None
  'deployments.env.some-variables-have-errors': None
  'deployments.env.the-value-is-longer-than-kib': { value_bytes_max: 'value' }
  'deployments.env.this-name-comes-twice': None
  'deployments.env.together-they-are-larger-than-kib': { total_bytes_max: 'value' }
  'deployments.hosting.deployments-belong-to-an-app': None
  'deployments.hosting.register-an-app': None
  'deployments.hosting.you-have-none-yet-register-one': { bold: 'tag' }
  'deployments.labels.awaiting-payment': None
  'deployments.labels.being-removed': None
  'deployments.labels.change-it-is-being-removed': None
  'deployments.labels.change-it-is-destroyed': None
  'deployments.labels.cores': { cores: 'number' }
  'deployments.labels.crash-loop': None
  'deployments.labels.create': None
  'deployments.labels.deploy': None
  'deployments.labels.deploying': None
  'deployments.labels.destroy': None
  'deployments.labels.destroyed': None
  'deployments.labels.did-not-answer-in-time': None
  'deployments.labels.done': None
  'deployments.labels.failed': None
  'deployments.labels.free': None
  'deployments.labels.gb': { megabytes: 'value' }
  'deployments.labels.healthy': None
  'deployments.labels.host-not-reachable': None
  'deployments.labels.image-not-found': None
  'deployments.labels.in-progress': None
  'deployments.labels.it-is-accepted-and-is-waiting': None
  'deployments.labels.it-is-gone-for-good': None
  'deployments.labels.it-starts-as-soon-as-an': None
  'deployments.labels.it-was-destroyed-and-its-container': None
  'deployments.labels.it-was-stopped-and-its-container': None
  'deployments.labels.its-container-host-cannot-be-reached': None
  'deployments.labels.its-image-is-fetched-or-the': None
  'deployments.labels.its-port-did-not-answer-a': None
  'deployments.labels.mb': { megabytes: 'value' }
  'deployments.labels.no-price': None
  'deployments.labels.only-in-these-states-it-is': { deployment_may: 'value'; label: 'value' }
  'deployments.labels.out-of-memory': None
  'deployments.labels.pending': None
  'deployments.labels.reactivate': None
  'deployments.labels.registry-refused': None
  'deployments.labels.restart': None
  'deployments.labels.restart-it-has-not-run-yet': None
  'deployments.labels.restart-it-is-being-removed': None
  'deployments.labels.restart-it-is-being-started-already': None
  'deployments.labels.restart-it-is-destroyed': None
  'deployments.labels.restart-it-is-suspended-until-you': None
  'deployments.labels.restarting': None
  'deployments.labels.running': None
  'deployments.labels.sats': { monthly_cost_sats: 'value' }
  'deployments.labels.starting': None
  'deployments.labels.stop': None
  'deployments.labels.stop-it-is-being-removed': None
  'deployments.labels.stop-it-is-destroyed': None
  'deployments.labels.stop-it-is-stopped-already': None
  'deployments.labels.stopped': None
  'deployments.labels.stopping': None
  'deployments.labels.superseded': None
  'deployments.labels.suspended': None
  'deployments.labels.the-container-ended-by-itself-and': None
  'deployments.labels.the-container-is-stopped-a-restart': None
  'deployments.labels.the-container-runs-and-its-port': None
  'deployments.labels.the-container-runs-but-its-port': None
  'deployments.labels.the-container-starts-its-port-has': None
  'deployments.labels.the-program-ended-again-and-again': None
  'deployments.labels.the-program-was-killed-for-using': None
  'deployments.labels.the-registry-did-not-let-plaza': None
  'deployments.labels.the-registry-has-no-such-image': None
  'deployments.labels.this-plaza-charges-nothing-for-hosting': None
  'deployments.labels.unhealthy': None
  'deployments.labels.you-had-too-few-points-for': None
  'deployments.log-view.action': None
  'deployments.log-view.action-log': None
  'deployments.log-view.by': None
  'deployments.log-view.last-output': None
  'deployments.log-view.no-details': None
  'deployments.log-view.nothing-was-done-yet': None
  'deployments.log-view.result': None
  'deployments.log-view.show-all': { count: 'value' }
  'deployments.log-view.somebody-else': None
  'deployments.log-view.what-happened': None
  'deployments.log-view.what-was-asked-for-and-what': None
  'deployments.log-view.you': None
  'deployments.metrics-view.24-hours': None
  'deployments.metrics-view.2xx': None
  'deployments.metrics-view.3xx': None
  'deployments.metrics-view.4xx': None
  'deployments.metrics-view.5xx': None
  'deployments.metrics-view.95-of-100': None
  'deployments.metrics-view.cores': None
  'deployments.metrics-view.half': None
  'deployments.metrics-view.how-far-back': None
  'deployments.metrics-view.in': None
  'deployments.metrics-view.in-2': { unit: 'value' }
  'deployments.metrics-view.in-all-by-class-of-the': { formatNumber: 'value' }
  'deployments.metrics-view.measured-every-15-seconds-a-month': None
  'deployments.metrics-view.network': None
  'deployments.metrics-view.nothing-was-measured-in-this-time': None
  'deployments.metrics-view.of-for-each-container': { memory_limit_mb: 'value' }
  'deployments.metrics-view.of-for-each-container-2': { cpu_limit_millicores: 'value' }
  'deployments.metrics-view.out': None
  'deployments.metrics-view.requests': None
  'deployments.metrics-view.the-first-figures-show-when-the': None
  'deployments.metrics-view.the-first-figures-show-within-half': None
  'deployments.metrics-view.time-to-answer': None
  'deployments.metrics-view.until-an-answer-begins-half-of': None
  'deployments.metrics-view.use-and-requests': None
  'deployments.metrics-view.what-came-in-and-went-out': None
  'deployments.metrics.at-the-end-at-most': { name: 'value'; last: 'value'; say: 'value' }
  'deployments.metrics.container': { replica: 'value' }
  'deployments.metrics.nothing-was-measured': None
  'deployments.new-deployment.accepted-it-starts-now': None
  'deployments.new-deployment.an-admin-has-to-add-one': None
  'deployments.new-deployment.begin-with-the-registry-registry-example': None
  'deployments.new-deployment.deploy': None
  'deployments.new-deployment.deploy-a-container': None
  'deployments.new-deployment.deploy-a-container-2': None
  'deployments.new-deployment.fill-this-in': None
  'deployments.new-deployment.from-any-image': { code: 'value' }
  'deployments.new-deployment.from-below-or': { code: 'value'; code_2: 'value'; code_3: 'value' }
  'deployments.new-deployment.from-official-images-below': { code: 'value'; code_2: 'value' }
  'deployments.new-deployment.has-none-choose-a-tier-that': { name: 'value' }
  'deployments.new-deployment.it-starts-at-once-its-page': None
  'deployments.new-deployment.it-will-be-at-once-destroyed': { bold: 'value'; kept_days: 'value' }
  'deployments.new-deployment.no-container-engine-is-there-right': None
  'deployments.new-deployment.nothing-was-stored-or-charged-and': { message: 'value' }
  'deployments.new-deployment.optional-it-is-used-once-a': None
  'deployments.new-deployment.port': None
  'deployments.new-deployment.the-price-is-taken-from-your': { cycle_days: 'value' }
  'deployments.new-deployment.the-whole-reference-with-its-registry': { private: 'value'; public: 'value'; code_host: 'value'; code: 'value' }
  'deployments.new-deployment.this-name-is-reserved-choose-another': None
  'deployments.new-deployment.this-plaza-offers-no-tier': None
  'deployments.new-deployment.this-tier': None
  'deployments.new-deployment.up-to-32-small-letters-digits': None
  'deployments.new-deployment.where-the-program-listens-on-0': None
  'deployments.new-deployment.your-first-request-had-already-created': None
  'deployments.operations.destroy': None
  'deployments.operations.destroy-for-good': { subdomain: 'value' }
  'deployments.operations.its-address-answers-with-an-error': None
  'deployments.operations.restart': None
  'deployments.operations.restart-requested': None
  'deployments.operations.stop': None
  'deployments.operations.stop-2': { subdomain: 'value' }
  'deployments.operations.stop-requested': None
  'deployments.operations.stopped': None
  'deployments.operations.the-container-what-it-wrote-to': { kept_after_destroy_days: 'value'; kept_days: 'value' }
  'deployments.operations.this-is-not-the-name': None
  'deployments.operations.type-to-confirm': { subdomain: 'value' }
  'deployments.output-lines.load-older-lines': None
  'deployments.output-lines.new-below': { unseen: 'value' }
  'deployments.output-lines.nothing-older-is-kept': None
  'deployments.output-lines.older-lines-could-not-be-read': None
  'deployments.output-lines.reading-older-lines': None
  'deployments.output-lines.release': { release: 'value' }
  'deployments.output-lines.show-the-newest': None
  'deployments.output-view.all-replicas': None
  'deployments.output-view.connecting': None
  'deployments.output-view.count': { count: 'number' }
  'deployments.output-view.disconnected': None
  'deployments.output-view.download': None
  'deployments.output-view.ended': None
  'deployments.output-view.it-is-stopped-this-is-the': None
  'deployments.output-view.lines-that-match': None
  'deployments.output-view.live': None
  'deployments.output-view.no-line-that-is-kept-matches': None
  'deployments.output-view.nothing-written-yet': None
  'deployments.output-view.output': None
  'deployments.output-view.output-of-the-container': None
  'deployments.output-view.read-again': None
  'deployments.output-view.reading-the-output': None
  'deployments.output-view.reconnecting-automatically': { message: 'value' }
  'deployments.output-view.replica': None
  'deployments.output-view.replica-2': { at: 'value' }
  'deployments.output-view.search-again': None
  'deployments.output-view.search-in-what-is-kept': None
  'deployments.output-view.search-the-output': None
  'deployments.output-view.search-the-output-for': None
  'deployments.output-view.searching': None
  'deployments.output-view.so-far-the-newest': { matches: 'value' }
  'deployments.output-view.the-container-has-not-started-its': None
  'deployments.output-view.the-lines-that-are-loaded': None
  'deployments.output-view.the-output-stream-is-disconnected': None
  'deployments.output-view.the-program-has-written-nothing-to': None
  'deployments.output-view.this-replica-has-written-nothing-lately': None
  'deployments.output-view.times': None
  'deployments.output-view.try-now': None
  'deployments.output-view.what-the-containers-write-to-stdout': { kept_lines_max: 'value'; kept_days: 'value' }
  'deployments.pages.deploy-a-container': None
  'deployments.pages.deploy-a-container-keywords': None
  'deployments.pages.deployment': None
  'deployments.pages.deployments': None
  'deployments.pages.deployments-keywords': None
  'deployments.release-table.back-to-release': { rolled_back_to: 'value' }
  'deployments.release-table.changed': { changed: 'value'; names: 'value' }
  'deployments.release-table.last-output-of-release': { number: 'value' }
  'deployments.release-table.no-difference': None
  'deployments.release-table.release': None
  'deployments.release-table.roll-back-to-release': { number: 'value' }
  'deployments.release-table.the-first-one': None
  'deployments.release-table.what-it-is': None
  'deployments.releases-view.accepted-the-earlier-release-takes-over': None
  'deployments.releases-view.another-tier': None
  'deployments.releases-view.change': None
  'deployments.releases-view.change-2': { subdomain: 'value' }
  'deployments.releases-view.each-change-is-a-release-the': None
  'deployments.releases-view.go-back-to-release': { number: 'value' }
  'deployments.releases-view.no-release-is-known-yet': None
  'deployments.releases-view.nothing-differs-it-would-stay-as': None
  'deployments.releases-view.show-all': { count: 'value' }
  'deployments.releases-view.the-first-one-is-noted-with': None
  'deployments.releases.a-new-value': None
  'deployments.releases.added': { name: 'value' }
  'deployments.releases.all-other-variables-get-the-values': { number: 'value' }
  'deployments.releases.current': None
  'deployments.releases.custom-domain': { custom_domain: 'value'; custom_domain_2: 'value' }
  'deployments.releases.failed': None
  'deployments.releases.image': { container_image: 'value'; image: 'value' }
  'deployments.releases.image-2': { from: 'value'; into: 'value' }
  'deployments.releases.newly-added': None
  'deployments.releases.none': None
  'deployments.releases.on-its-way': None
  'deployments.releases.overtaken': None
  'deployments.releases.port': { port: 'value'; port_2: 'value' }
  'deployments.releases.replaced': None
  'deployments.releases.replicas': { replicas: 'value'; replicas_2: 'value' }
  'deployments.releases.taken-away': { name: 'value' }
  'deployments.releases.tier': { deploy_tier_id: 'value'; tier: 'value' }
  'deployments.releases.tier-2': { deploy_tier_id: 'value'; deploy_tier_id_2: 'value' }
  'deployments.tier-cards.ad-reach': { times: 'value' }
  'deployments.tier-cards.custom-domain-possible': None
  'deployments.tier-cards.limits': { no_charge: 'value' }
  'deployments.tier-cards.limits-and-the-price-of-30': None
  'deployments.tier-cards.no-custom-domain': None
  'deployments.tier-cards.pays-you-back': { monthly_stipend_points: 'value' }
  'deployments.tier-cards.starts-once-an-admin-has-entered': None
  'deployments.tier-cards.up-to-replicas-each-at-this': { replicas_max: 'value' }
  'forms.new-password-input.common': None
  'forms.single-field.fill-this-in': None
  'forms.validation.at-least': { minimum: 'value' }
  'forms.validation.at-least-characters': { minLength: 'value' }
  'forms.validation.at-most': { maximum: 'value' }
  'forms.validation.at-most-2': { maxItems: 'value' }
  'forms.validation.at-most-characters-these-are': { maxLength: 'value'; length: 'value' }
  'forms.validation.choose-one-of-the-options': None
  'forms.validation.enter-a-number': None
  'forms.validation.enter-a-whole-number': None
  'forms.validation.enter-an-e-mail-address-such': None
  'forms.validation.fill-this-in': None
  'forms.validation.minitems': { minItems: 'number' }
  'forms.validation.this-has-characters-or-a-length': None
  'inbox.inbox.about': None
  'inbox.inbox.about-what': None
  'inbox.inbox.everything': None
  'inbox.inbox.friend-requests-messages-decisions': None
  'inbox.inbox.inbox': None
  'inbox.inbox.mark-all-as-read': None
  'inbox.inbox.nothing-here': None
  'inbox.inbox.notices': None
  'inbox.inbox.what-you-are-told': None
  'inbox.notice-row.mark-as-read': { text: 'value' }
  'inbox.notice-row.new': None
  'inbox.notice-row.read': None
  'inbox.notice-settings.about': None
  'inbox.notice-settings.by-mail': { name: 'value' }
  'inbox.notice-settings.in-the-inbox': { name: 'value' }
  'inbox.notice-settings.inbox': None
  'inbox.notice-settings.kinds-of-notices': None
  'inbox.notice-settings.mail': None
  'inbox.notice-settings.notices': None
  'inbox.notice-settings.see-your-inbox': None
  'inbox.notice-texts.app-approved': { name: 'value' }
  'inbox.notice-texts.app-rejected': { name: 'value' }
  'inbox.notice-texts.approval-withdrawn': { name: 'value' }
  'inbox.notice-texts.apps': None
  'inbox.notice-texts.apps-about': None
  'inbox.notice-texts.apps-wait': { count: 'number' }
  'inbox.notice-texts.cases-wait': { count: 'number' }
  'inbox.notice-texts.changed-apps-wait': { count: 'number' }
  'inbox.notice-texts.deployment-back': { name: 'value' }
  'inbox.notice-texts.deployment-down': { name: 'value' }
  'inbox.notice-texts.deployments': None
  'inbox.notice-texts.deployments-about': None
  'inbox.notice-texts.friend-accepted': { name: 'value' }
  'inbox.notice-texts.friend-requested': { name: 'value' }
  'inbox.notice-texts.friends': None
  'inbox.notice-texts.friends-about': None
  'inbox.notice-texts.message-removed': None
  'inbox.notice-texts.messages': None
  'inbox.notice-texts.messages-about': None
  'inbox.notice-texts.messages-came': { count: 'number'; name: 'value' }
  'inbox.notice-texts.moderation': None
  'inbox.notice-texts.moderation-about': None
  'inbox.notice-texts.muted': None
  'inbox.notice-texts.points': None
  'inbox.notice-texts.points-about': None
  'inbox.notice-texts.points-awarded': { amount: 'number' }
  'inbox.notice-texts.points-awarded-by': { amount: 'number'; name: 'value' }
  'inbox.notice-texts.points-refunded': { amount: 'number'; name: 'value' }
  'inbox.notice-texts.points-transferred': { amount: 'number'; name: 'value' }
  'inbox.notice-texts.report-acted': { name: 'value' }
  'inbox.notice-texts.report-dismissed': { name: 'value' }
  'inbox.notice-texts.review': None
  'inbox.notice-texts.review-about': None
  'inbox.notice-texts.scope-requests-wait': { count: 'number' }
  'inbox.notice-texts.scopes-denied': { name: 'value' }
  'inbox.notice-texts.scopes-granted': { name: 'value' }
  'inbox.notice-texts.somebody-who-left': None
  'inbox.notice-texts.unmuted': None
  'inbox.notice-texts.webhook-switched-off': { name: 'value' }
  'inbox.notice-texts.webhooks': None
  'inbox.notice-texts.webhooks-about': None
  'inbox.pages.inbox': None
  'inbox.pages.inbox-keywords': None
  'inbox.pages.notices': None
  'inbox.pages.notices-keywords': None
  'learning.markdown.table': None
  'learning.missing-part.choose-a-learning-path-first': None
  'learning.missing-part.choose-a-path': None
  'learning.missing-part.modules-and-steps-belong-to-a': None
  'learning.missing-part.you-have-not-chosen-yours-yet': None
  'learning.module.all-its-steps-count-as-open': None
  'learning.module.all-modules': None
  'learning.module.all-steps-of-are-open-again': { title: 'value' }
  'learning.module.module-of-completed': { module_number: 'value'; completed: 'value'; total: 'value' }
  'learning.module.next': { title: 'value' }
  'learning.module.open-all-steps-again': None
  'learning.module.repeat-this-module': None
  'learning.module.repeat-this-module-2': None
  'learning.module.repeating-is-for-learning-a-step': { is_early: 'value' }
  'learning.module.sources': None
  'learning.module.steps': None
  'learning.module.where-this-comes-from-and-where': None
  'learning.module.you-can-repeat-it-from-on': { repeat_eligible_at: 'value'; format: 'value' }
  'learning.module.you-can-repeat-it-now': None
  'learning.module.you-have-completed-this-module': None
  'learning.pages.learning': None
  'learning.pages.learning-keywords': None
  'learning.pages.module': None
  'learning.pages.step': None
  'learning.path.another-path-instead': None
  'learning.path.choose': { title: 'value' }
  'learning.path.choose-a-learning-path': None
  'learning.path.chosen': None
  'learning.path.completed': None
  'learning.path.everything-completed': None
  'learning.path.module': { module_number: 'value' }
  'learning.path.modules': None
  'learning.path.of-steps': { completed: 'value'; total: 'value'; pays: 'case'; reward: 'value' }
  'learning.path.of-steps-completed': { completed: 'value'; count: 'value' }
  'learning.path.short-steps-to-read-at-your': None
  'learning.path.steps-completed-of': { title: 'value' }
  'learning.path.steps-completed-on-your-learning-path': None
  'learning.path.the-people-who-run-this-plaza': None
  'learning.path.there-is-nothing-to-learn-here': None
  'learning.path.you-can-still-change-until-you': None
  'learning.path.your-learning-path': None
  'learning.step-list.completed': None
  'learning.step-list.steps-of': { title: 'value' }
  'learning.step.all-modules': None
  'learning.step.back': None
  'learning.step.complete-this-step': None
  'learning.step.completed': None
  'learning.step.completed-again-a-step-pays-the': None
  'learning.step.completed-you-earned': { reward: 'value' }
  'learning.step.next': { title: 'value' }
  'learning.step.pays-the-first-time-only': { reward: 'value' }
  'learning.step.see-the-whole-module': None
  'learning.step.skip-for-now': None
  'learning.step.sources': None
  'learning.step.step-of': { link: 'value'; at: 'value'; count: 'value' }
  'learning.step.this-module': None
  'learning.step.you-had-completed-this-step-already': None
  'learning.step.you-have-completed-this-step': None
  'mail.address-taken.subject': None
  'mail.address-taken.text': { public_url: 'value' }
  'mail.app-approved.subject': { app_line: 'value' }
  'mail.app-approved.text': { username: 'value'; app: 'value'; has_reason: 'case'; reason: 'value'; link: 'value'; issuer: 'value' }
  'mail.app-rejected.subject': { app_line: 'value' }
  'mail.app-rejected.text': { username: 'value'; app: 'value'; has_reason: 'case'; reason: 'value'; link: 'value'; issuer: 'value' }
  'mail.email-change.subject': { code: 'value' }
  'mail.email-change.text': { username: 'value'; code: 'value'; link: 'value'; minutes: 'value' }
  'mail.factor-removed.subject': None
  'mail.factor-removed.text': { username: 'value'; public_url: 'value' }
  'mail.farewell.subject': None
  'mail.farewell.text': { username: 'value' }
  'mail.moderation.mute': { until: 'value' }
  'mail.moderation.reactivate': None
  'mail.moderation.remove-message': None
  'mail.moderation.subject': { is_over: 'case' }
  'mail.moderation.suspend': None
  'mail.moderation.text': { username: 'value'; lines: 'value'; has_reason: 'case'; reason: 'value' }
  'mail.moderation.unmute': None
  'mail.notice-line.apps-wait': { count: 'value' }
  'mail.notice-line.cases-wait': { count: 'value' }
  'mail.notice-line.changed-apps-wait': { count: 'value' }
  'mail.notice-line.friend-accepted': { name: 'value' }
  'mail.notice-line.friend-requested': { name: 'value' }
  'mail.notice-line.messages-came': { name: 'value'; count: 'number' }
  'mail.notice-line.points-awarded': { amount: 'number'; name: 'value' }
  'mail.notice-line.points-refunded': { name: 'value'; amount: 'number' }
  'mail.notice-line.points-transferred': { name: 'value'; amount: 'number' }
  'mail.notice-line.scope-requests-wait': { count: 'value' }
  'mail.notices.friends': None
  'mail.notices.messages': None
  'mail.notices.points': None
  'mail.notices.review': None
  'mail.notices.text': { username: 'value'; lines: 'value'; has_more: 'case'; issuer: 'value' }
  'mail.passkey-added.subject': None
  'mail.passkey-added.text': { username: 'value'; name: 'value'; public_url: 'value' }
  'mail.passkey-copied.subject': None
  'mail.passkey-copied.text': { username: 'value'; name: 'value'; public_url: 'value' }
  'mail.passkey-not-required.subject': None
  'mail.passkey-not-required.text': { username: 'value'; public_url: 'value' }
  'mail.passkey-removed.subject': None
  'mail.passkey-removed.text': { username: 'value'; name: 'value'; public_url: 'value' }
  'mail.passkey-required.subject': None
  'mail.passkey-required.text': { username: 'value'; public_url: 'value' }
  'mail.password-changed.subject': None
  'mail.password-changed.text': { username: 'value'; when: 'value'; public_url: 'value' }
  'mail.password-reset.subject': None
  'mail.password-reset.text': { username: 'value'; when: 'value'; days: 'value'; has_factors: 'case'; passkeys: 'value'; has_totp: 'case'; recovery_codes: 'number'; public_url: 'value' }
  'mail.proof.subject': None
  'mail.proof.text': { username: 'value'; code: 'value'; link: 'value'; minutes: 'value' }
  'mail.recovery-codes.subject': None
  'mail.recovery-codes.text': { username: 'value'; when: 'value'; public_url: 'value' }
  'mail.report-acted.subject': None
  'mail.report-acted.text': { username: 'value'; kind: 'case'; is_known: 'case'; whom: 'value'; day: 'value'; link: 'value'; issuer: 'value' }
  'mail.report-dismissed.subject': None
  'mail.report-dismissed.text': { username: 'value'; kind: 'case'; is_known: 'case'; whom: 'value'; day: 'value'; link: 'value'; issuer: 'value' }
  'mail.reset.subject': None
  'mail.reset.text': { username: 'value'; code: 'value'; link: 'value'; minutes: 'value' }
  'mail.scopes-denied.subject': { app_line: 'value' }
  'mail.scopes-denied.text': { username: 'value'; app: 'value'; scopes: 'value'; has_reason: 'case'; reason: 'value'; link: 'value'; issuer: 'value' }
  'mail.scopes-granted.subject': { app_line: 'value' }
  'mail.scopes-granted.text': { username: 'value'; app: 'value'; scopes: 'value'; has_reason: 'case'; reason: 'value'; link: 'value'; issuer: 'value' }
  'mail.sign-in.subject': None
  'mail.sign-in.text': { username: 'value'; when: 'value'; place: 'value'; has_device: 'case'; device: 'value'; public_url: 'value' }
  'mail.totp-off.subject': None
  'mail.totp-off.text': { username: 'value'; when: 'value'; public_url: 'value' }
  'mail.undo-email.subject': None
  'mail.undo-email.text': { username: 'value'; at: 'value'; until: 'value'; link: 'value'; code: 'value' }
  'mail.undo-passkey.subject': None
  'mail.undo-passkey.text': { username: 'value'; name: 'value'; at: 'value'; until: 'value'; link: 'value'; code: 'value' }
  'mail.undo-totp.subject': None
  'mail.undo-totp.text': { username: 'value'; at: 'value'; until: 'value'; link: 'value'; code: 'value' }
  'mail.username-changed.subject': None
  'mail.username-changed.text': { username: 'value'; when: 'value'; public_url: 'value' }
  'mail.verification.subject': { code: 'value' }
  'mail.verification.text': { username: 'value'; code: 'value'; link: 'value'; minutes: 'value' }
  'mail.watch-back.subject': { subdomain: 'value' }
  'mail.watch-back.text': { username: 'value'; subdomain: 'value'; app: 'value'; since: 'value'; link: 'value'; is_last: 'case'; mails_max: 'value'; issuer: 'value' }
  'mail.watch-down.subject': { subdomain: 'value' }
  'mail.watch-down.text': { username: 'value'; subdomain: 'value'; app: 'value'; since: 'value'; reason: 'value'; link: 'value'; is_last: 'case'; mails_max: 'value'; issuer: 'value' }
  'mail.watch-reason.crash-loop': None
  'mail.watch-reason.image-not-found': None
  'mail.watch-reason.oom-killed': None
  'mail.watch-reason.other': None
  'mail.watch-reason.registry-auth-failed': None
  'mail.watch-reason.start-failed': None
  'mail.watch-reason.start-timeout': None
  'mail.watch-reason.unreachable': { minutes: 'value' }
  'mail.watch-recovered.subject': { subdomain: 'value' }
  'mail.watch-recovered.text': { username: 'value'; subdomain: 'value'; app: 'value'; since: 'value'; reason: 'value'; link: 'value'; is_last: 'case'; mails_max: 'value'; issuer: 'value' }
  'mail.webhook-gone.subject': { app_line: 'value' }
  'mail.webhook-gone.text': { username: 'value'; app: 'value'; origin: 'value'; kept_days: 'value'; link: 'value'; issuer: 'value' }
  'mail.webhook-off.subject': { app_line: 'value' }
  'mail.webhook-off.text': { username: 'value'; app: 'value'; days: 'value'; origin: 'value'; kept_days: 'value'; link: 'value'; issuer: 'value' }
  'mail.wrong-second-factors.subject': None
  'mail.wrong-second-factors.text': { username: 'value'; tries: 'value'; when: 'value'; public_url: 'value' }
  'people.channel-list.channels': None
  'people.channel-list.close-table': { name: 'value' }
  'people.channel-list.go-to-a-table': None
  'people.channel-list.go-to-the-table': None
  'people.channel-list.name-of-the-table': None
  'people.channel-list.new': { unread: 'value' }
  'people.channel-list.tables-are-open-close-one-to': { tables_max: 'value' }
  'people.channel-list.the-name-that-the-game-uses': None
  'people.channels.lobby': None
  'people.chat.chat': None
  'people.chat.chat-2': { name: 'value' }
  'people.chat.everybody': None
  'people.chat.here-now': { count: 'value' }
  'people.chat.table': None
  'people.composer.enter-sends-shift-enter-begins-a': { is_long: 'case'; length: 'value'; body_max: 'value' }
  'people.composer.message-to': { name: 'value' }
  'people.composer.send': None
  'people.friend-relations.and-you-are-friends': { username: 'value' }
  'people.friend-relations.is-asked': { username: 'value' }
  'people.friend-row.and-you-are-no-longer-friends': { username: 'value' }
  'people.friend-row.block': { username: 'value' }
  'people.friend-row.end-friendship': None
  'people.friend-row.end-the-friendship': None
  'people.friend-row.end-the-friendship-with': { username: 'value' }
  'people.friend-row.had-already-ended-the-friendship': { username: 'value' }
  'people.friend-row.last-seen': { time: 'value' }
  'people.friend-row.more-about': { username: 'value' }
  'people.friend-row.offline': None
  'people.friend-row.online': { somewhere: 'case'; places: 'value' }
  'people.friend-row.report': { username: 'value' }
  'people.friend-row.you-no-longer-see-each-others': None
  'people.friends.a-person-you-accept-sees-your': None
  'people.friends.accept': { username: 'value' }
  'people.friends.accept-2': None
  'people.friends.and-you-are-friends': { username: 'value' }
  'people.friends.asked': { time: 'value' }
  'people.friends.blocked': None
  'people.friends.blocked-2': { time: 'value' }
  'people.friends.blocked-people': None
  'people.friends.find-people': None
  'people.friends.find-somebody-by-their-username-and': None
  'people.friends.friends': None
  'people.friends.friends-see-each-others-e-mail': None
  'people.friends.has-not-answered-yet': None
  'people.friends.is-no-longer-blocked': { username: 'value' }
  'people.friends.no-friends-yet': None
  'people.friends.reject': { username: 'value' }
  'people.friends.reject-2': None
  'people.friends.requests-from-you': None
  'people.friends.requests-that-you-sent-during-this': None
  'people.friends.requests-to-you': None
  'people.friends.the-request-of-is-rejected': { username: 'value' }
  'people.friends.the-request-to-is-withdrawn': { username: 'value' }
  'people.friends.unblock': { username: 'value' }
  'people.friends.unblock-2': None
  'people.friends.withdraw': None
  'people.friends.withdraw-the-request-to': { username: 'value' }
  'people.friends.you-do-not-see-what-they': None
  'people.message-list.earlier-messages-could-not-be-read': None
  'people.message-list.messages-in': { name: 'value' }
  'people.message-list.new-below': { unseen: 'value' }
  'people.message-list.news-in': { name: 'value' }
  'people.message-list.no-messages-yet': None
  'people.message-list.reading-earlier-messages': None
  'people.message-list.show-the-newest': None
  'people.message-list.this-is-the-first-message': None
  'people.message-list.write-the-first-one-below-everybody': None
  'people.message-row.block': { username: 'value' }
  'people.message-row.discard': None
  'people.message-row.more-about-the-message-of': { username: 'value'; format: 'value' }
  'people.message-row.no-answer-came-this-may-not': None
  'people.message-row.not-sent': { message: 'value' }
  'people.message-row.report-this-message': None
  'people.message-row.this-message-was-removed-by-an': None
  'people.message-row.you': None
  'people.pages.chat': None
  'people.pages.chat-keywords': None
  'people.pages.find-people': None
  'people.pages.find-people-keywords': None
  'people.pages.friends': None
  'people.pages.friends-keywords': None
  'people.pages.your-reports': None
  'people.pages.your-reports-keywords': None
  'people.people.ask-somebody-to-be-your-friend': None
  'people.people.find-people': None
  'people.person-actions.a-friendship-or-a-request-between': { username: 'value' }
  'people.person-actions.accept-as-a-friend': { username: 'value' }
  'people.person-actions.ask-to-be-a-friend': { username: 'value' }
  'people.person-actions.block': { username: 'value' }
  'people.person-actions.block-2': None
  'people.person-actions.is-a-friend': { username: 'value' }
  'people.person-actions.is-asked': { username: 'value' }
  'people.person-actions.is-blocked': { username: 'value' }
  'people.person-actions.you-have-blocked': { username: 'value' }
  'people.person-search.accept': { username: 'value' }
  'people.person-search.ask-to-be-friends': { username: 'value' }
  'people.person-search.ask-to-be-friends-2': None
  'people.person-search.asks-to-be-your-friend': None
  'people.person-search.block': { username: 'value' }
  'people.person-search.block-2': None
  'people.person-search.check-the-spelling-people-are-found': None
  'people.person-search.nobodys-username-begins-with': { q: 'value' }
  'people.person-search.people-found': None
  'people.person-search.the-request-to-is-withdrawn': { username: 'value' }
  'people.person-search.these-are-the-first-type-more': { user_search_results_max: 'value' }
  'people.person-search.type-at-least-letters-of-its': { user_search_min: 'value' }
  'people.person-search.withdraw': None
  'people.person-search.withdraw-the-request-to': { username: 'value' }
  'people.person-search.your-friend': None
  'people.report-button.report': { username: 'value' }
  'people.report-button.report-2': None
  'people.report-form.is-not-told-who-reported': { username: 'value' }
  'people.report-form.optional-nobody-but-admins-reads-it': None
  'people.report-form.report': { username: 'value' }
  'people.report-form.report-2': None
  'people.report-form.report-this-message-of': { username: 'value' }
  'people.report-form.thank-you-an-admin-looks-at': None
  'people.report-form.what-is-wrong': None
  'people.report-form.what-should-the-admin-know': None
  'people.report-reasons.a-scam': None
  'people.report-reasons.harassment-or-insults': None
  'people.report-reasons.hate-against-a-group': None
  'people.report-reasons.pretends-to-be-somebody-else': None
  'people.report-reasons.sexual-content': None
  'people.report-reasons.something-else': None
  'people.report-reasons.spam-or-advertising': None
  'people.report-reasons.violence-or-threats': None
  'people.reports.a-deleted-account': None
  'people.reports.a-message-of': { username: 'value' }
  'people.reports.messages-and-people-are-reported-from': None
  'people.reports.nothing-was-done': None
  'people.reports.something-was-done': None
  'people.reports.waits-for-an-admin': None
  'people.reports.what-you-reported-to-the-admins': None
  'people.reports.you-have-reported-nothing': None
  'people.reports.your-reports': None
  'people.stream-note.new-messages-do-not-arrive-plaza': { countdown: 'value' }
  'people.stream-note.new-messages-do-not-arrive-reload': { message: 'value' }
  'people.stream-note.trying-again-in-s': { seconds: 'value' }
  'people.stream-note.trying-now': None
  'public.directory.apps-come-here-once-an-admin': None
  'public.directory.apps-that-an-admin-has-approved': None
  'public.directory.directory-of-apps': None
  'public.directory.no-app-is-listed-yet': None
  'public.directory.page': { at: 'value' }
  'public.directory.page-2': { control: 'case' }
  'public.directory.registered': { time: 'value' }
  'public.directory.this-page-is-past-the-end': None
  'public.landing.a-call-that-takes-thirty-points': None
  'public.landing.a-directory-in-which-people-find': { link: 'tag' }
  'public.landing.a-person-signs-in-to-your': None
  'public.landing.begin-with-the-quickstart': None
  'public.landing.create-an-account': None
  'public.landing.for-developers': None
  'public.landing.for-operators': None
  'public.landing.for-people': None
  'public.landing.guides-and-reference-with-samples-to': { link: 'tag' }
  'public.landing.oauth-2-0-with-pkce-any': None
  'public.landing.one-account-and-one-balance-for': None
  'public.landing.one-sign-in-with-a-second': None
  'public.landing.openapi-document-and-discovery': { link: 'tag'; link_2: 'tag' }
  'public.landing.people-have-an-account-and-points': None
  'public.landing.points-with-a-complete-history-friends': None
  'public.landing.register-your-app-an-admin-looks': { link: 'tag' }
  'public.landing.register-your-first-app': None
  'public.landing.see-every-app-that-may-act': None
  'public.landing.spend-transfer-and-award-points-host': None
  'public.landing.take-points-in-your-own-app': None
  'public.landing.the-page-of-points-the-balance': None
  'public.overview.add-a-second-factor': None
  'public.overview.build-an-app-of-your-own': None
  'public.overview.done': None
  'public.overview.earned-so-far': None
  'public.overview.find-one-in-the-directory-and': None
  'public.overview.hello': { username: 'value' }
  'public.overview.it-lets-you-register-apps-and': None
  'public.overview.learn-and-earn-points': None
  'public.overview.loading': None
  'public.overview.no-app-is-pending-review': None
  'public.overview.pending-count-pending-your-decision': { pending_count: 'number'; more: 'case' }
  'public.overview.register-an-app': None
  'public.overview.register-it-when-an-admin-has': None
  'public.overview.review': None
  'public.overview.see-the-directory': None
  'public.overview.see-your-apps': None
  'public.overview.set-it-up': None
  'public.overview.short-lessons-each-step-pays-its': None
  'public.overview.sign-in-to-an-app': None
  'public.overview.sign-in-with-a-code-from': None
  'public.overview.verify': None
  'public.overview.verify-your-e-mail-address': None
  'public.overview.what-to-do-next': None
  'public.overview.your-account-at-a-glance': None
  'public.pages.directory': None
  'public.pages.directory-of-apps': None
  'public.pages.directory-of-apps-keywords': None
  'public.pages.overview': None
  'public.pages.service-status': None
  'public.pages.service-status-keywords': None
  'public.service-state.checking': None
  'public.service-state.everything-works': None
  'public.service-state.plaza-does-not-answer-the-service': None
  'public.service-state.plaza-has-a-problem-you-need': None
  'public.service-state.this-device-is-offline': None
  'public.status.answers': None
  'public.status.database': None
  'public.status.does-not-answer': None
  'public.status.for-machines-health': { checked: 'case'; time: 'value'; link: 'tag' }
  'public.status.ms': { took_ms: 'value' }
  'public.status.not-reachable': None
  'public.status.reachable': None
  'public.status.response-time': None
  'public.status.service': None
  'public.status.service-status': None
  'public.status.the-state-of-plaza-as-seen': None
  'public.status.version': None
  'sandbox.as-person-again.back-to': { username: 'value' }
  'sandbox.as-person-again.go-on-as': { username: 'value' }
  'sandbox.as-person-again.sign-in-again': None
  'sandbox.as-person-again.your-sign-in-as-is-over': { bdi: 'value' }
  'sandbox.banner.play-points-and-apps-that-nobody': None
  'sandbox.banner.sandbox': None
  'sandbox.mails.ask-for-a-verification-code-or': None
  'sandbox.mails.look-again': None
  'sandbox.mails.my-mails': None
  'sandbox.mails.no-mails-yet': None
  'sandbox.mails.what-plaza-wrote-to-in-the': { mark: 'value'; mails_kept_days: 'value'; is_mail_sent: 'case' }
  'sandbox.pages.give-me-points': None
  'sandbox.pages.my-mails': None
  'sandbox.pages.test-persons': None
  'sandbox.person-switch.as': { username: 'value' }
  'sandbox.person-switch.back-to': { username: 'value' }
  'sandbox.person-switch.seen-as-change': { username: 'value' }
  'sandbox.person-switch.test-persons': None
  'sandbox.persons.back-to': { username: 'value' }
  'sandbox.persons.each-has-an-account-of-its': None
  'sandbox.persons.is-there': { username: 'value' }
  'sandbox.persons.made': { points: 'value'; time: 'value' }
  'sandbox.persons.make-a-test-person': None
  'sandbox.persons.make-one': None
  'sandbox.persons.no-test-persons-yet': None
  'sandbox.persons.or-none-for-one-that-is': { username_rule: 'value'; test_persons_max: 'value' }
  'sandbox.persons.people-whom-you-play-yourself-sign': None
  'sandbox.persons.sign-in-as': { username: 'value' }
  'sandbox.persons.test-persons': None
  'sandbox.persons.to-letters-digits-dots-dashes-or': { username_min: 'value'; username_max: 'value' }
  'sandbox.persons.you-now': None
  'sandbox.points.at-most-at-a-time-and': { play_points_max: 'value'; play_points_per_day: 'value' }
  'sandbox.points.for-you-your-balance-is': { formatPoints: 'value'; points: 'value' }
  'sandbox.points.give-me-points': None
  'sandbox.points.play-points-for-trying-apps-they': None
  'sandbox.points.they-stand-in-your-history-as': { link: 'tag' }
  'session.passkey-sign-in.sign-in-with-a-passkey': None
  'session.passkey-sign-in.this-passkey-belongs-to-another-account': None
  'session.second-step.sign-in-again': None
  'session.second-step.this-account-asks-for-a-passkey': None
  'session.second-step.this-account-has-two-factor': None
  'session.second-step.use-a-passkey': None
  'session.sign-in-again.sign-in-again': None
  'session.sign-in-again.sign-out-instead': None
  'session.sign-in-again.your-sign-in-is-over-nothing': None
  'session.sign-in-form.enter-the-code': None
  'session.sign-in-form.recovery-code': None
  'session.sign-in-form.show-the-password': None
  'session.sign-in-form.use-another-account': None
  'session.storage-note.your-browser-keeps-nothing-of-plaza': None
  'session.webauthn.no-passkey-was-used-it-was': None
  'session.webauthn.this-device-has-a-passkey-for': None
  'session.webauthn.your-browser-could-not-use-a': None
  'sign-in.account-links.forgot-your-password': None
  'sign-in.account-links.new-here-create-an-account': { link: 'tag'; children_value: 'value' }
  'sign-in.authorize-problem.add-or-correct-the-parameters-named': None
  'sign-in.authorize-problem.ask-only-for-scopes-in-the': None
  'sign-in.authorize-problem.check-client-id-it-is-shown': None
  'sign-in.authorize-problem.correct-the-parameter-named-above': None
  'sign-in.authorize-problem.for-the-operator-of-the-app': None
  'sign-in.authorize-problem.go-back-to': { app_name: 'value' }
  'sign-in.authorize-problem.leave-the-parameter-out': None
  'sign-in.authorize-problem.nobody-can-let-it-in-yet': None
  'sign-in.authorize-problem.send-people-without-prompt-none': None
  'sign-in.authorize-problem.send-response-type-code-only-the': None
  'sign-in.authorize-problem.that-did-not-work': None
  'sign-in.authorize-problem.the-app-is-not-yet-verified': None
  'sign-in.authorize-problem.the-app-that-sent-you-here': None
  'sign-in.authorize-problem.this-app-is-not-yet-verified': None
  'sign-in.authorize-problem.this-link-does-not-work': None
  'sign-in.authorize-problem.this-opens-and-tells-the-app': { address: 'value' }
  'sign-in.authorize-problem.was-sent-twice': None
  'sign-in.authorize-problem.what-the-app-sent': None
  'sign-in.authorize.an-app': None
  'sign-in.authorize.and-come-back-to-this-page': None
  'sign-in.authorize.asks-for-access-to-your-plaza': { bdi: 'value' }
  'sign-in.authorize.one-moment': None
  'sign-in.authorize.open': { app_name: 'value' }
  'sign-in.authorize.reading-what-the-app-asks-for': None
  'sign-in.authorize.taking-you-back-to': { app_name: 'value' }
  'sign-in.authorize.taking-you-back-to-if-nothing': { bdi: 'value' }
  'sign-in.confirm-address.an-admin-was-asked-to-take': None
  'sign-in.confirm-address.ask-the-admin-for-another-mail': { message: 'value' }
  'sign-in.confirm-address.code-from-the-link-in-the': None
  'sign-in.confirm-address.i-asked-for-it': None
  'sign-in.confirm-address.if-you-did-not-close-this': None
  'sign-in.confirm-address.prove-that-this-address-is-yours': None
  'sign-in.confirm-address.tell-the-admin-that-you-opened': None
  'sign-in.confirm-address.your-address-is-proved': None
  'sign-in.consent.a-whole-number-or-nothing-for': None
  'sign-in.consent.allow': { app_name: 'value' }
  'sign-in.consent.allow-2': None
  'sign-in.consent.allow-only-an-app-that-you': None
  'sign-in.consent.daily-limit': None
  'sign-in.consent.deny': None
  'sign-in.consent.it-will-be-able-to': None
  'sign-in.consent.made-by': None
  'sign-in.consent.no-limit': None
  'sign-in.consent.optional-the-most-it-may-spend': None
  'sign-in.consent.receiver-not-verified-the-answer-goes': { strong: 'tag' }
  'sign-in.consent.sends-you-to': None
  'sign-in.consent.signed-in-as': { bdi: 'value' }
  'sign-in.consent.use-another-account': None
  'sign-in.consent.wants-access-to-your-account': { bdi: 'value' }
  'sign-in.consent.you-have-this-app-could-use': { strong: 'value' }
  'sign-in.consent.your-balance-could-not-be-read': None
  'sign-in.forgot-password.back-to-the-sign-in': None
  'sign-in.forgot-password.check-your-mail': None
  'sign-in.forgot-password.e-mail-address-of-your-account': None
  'sign-in.forgot-password.forgot-your-password': None
  'sign-in.forgot-password.have-you-set-your-new-password': { link: 'tag' }
  'sign-in.forgot-password.if-an-account-has-the-address': { strong: 'value'; is_mail_sent: 'case' }
  'sign-in.forgot-password.send-the-mail': None
  'sign-in.forgot-password.type-the-code-by-hand': None
  'sign-in.forgot-password.we-mail-you-a-link-with': None
  'sign-in.goodbye.to-the-front-page': None
  'sign-in.goodbye.what-is-left-of-it-is': None
  'sign-in.goodbye.your-account-is-deleted': None
  'sign-in.logout.a-page': None
  'sign-in.logout.asks-that-you-sign-out-you': { app_name: 'value'; bdi: 'value' }
  'sign-in.logout.go-to-plaza': None
  'sign-in.logout.nothing-was-changed-you-are-still': None
  'sign-in.logout.one-moment': None
  'sign-in.logout.sign-out-of-plaza': None
  'sign-in.logout.stay-signed-in': None
  'sign-in.logout.the-page-that-sent-you-here': None
  'sign-in.logout.this-link-does-not-work': None
  'sign-in.logout.this-opens': { address: 'value' }
  'sign-in.logout.you-are-signed-out': None
  'sign-in.logout.you-are-still-signed-in': None
  'sign-in.pages.allow-access': None
  'sign-in.pages.create-an-account': None
  'sign-in.pages.forgotten-password': None
  'sign-in.pages.goodbye': None
  'sign-in.pages.prove-your-address': None
  'sign-in.pages.set-a-new-password': None
  'sign-in.pages.sign-in': None
  'sign-in.pages.sign-out': None
  'sign-in.pages.take-a-change-back': None
  'sign-in.pages.verify-your-e-mail': None
  'sign-in.register.already-have-an-account-sign-in': { link: 'tag' }
  'sign-in.register.at-least-characters-several-words-are': { password_min: 'value' }
  'sign-in.register.create-an-account': None
  'sign-in.register.create-the-account': None
  'sign-in.register.forgot-your-password': None
  'sign-in.register.if-somebody-invited-you': None
  'sign-in.register.it-was-created-but-signing-in': None
  'sign-in.register.one-account-for-every-app-on': None
  'sign-in.register.others-see-it': { username_rule: 'value' }
  'sign-in.register.referral-code-optional': None
  'sign-in.register.show-the-password': None
  'sign-in.register.sign-in-to-continue': None
  'sign-in.register.to-letters-digits-dots-dashes-or': { username_min: 'value'; username_max: 'value' }
  'sign-in.register.we-send-a-code-there-to': None
  'sign-in.register.your-account-exists': None
  'sign-in.reset-password.at-least-characters': { password_min: 'value' }
  'sign-in.reset-password.code-from-the-mail': None
  'sign-in.reset-password.every-device-was-signed-out-and': { recent_days: 'value' }
  'sign-in.reset-password.no-code-or-one-that-is': { link: 'tag' }
  'sign-in.reset-password.set-a-new-password': None
  'sign-in.reset-password.set-the-password': None
  'sign-in.reset-password.show-the-password': None
  'sign-in.reset-password.the-code-from-the-link-is': None
  'sign-in.reset-password.your-new-password-is-set': None
  'sign-in.undo-change.a-second-factor-that-was-turned': None
  'sign-in.undo-change.address-and-name-are-as-they': None
  'sign-in.undo-change.at-least-characters-and-none-that': { password_min: 'value' }
  'sign-in.undo-change.code-from-the-mail': None
  'sign-in.undo-change.everybody-is-signed-out-and-apps': None
  'sign-in.undo-change.show-the-password': None
  'sign-in.undo-change.take-it-back': None
  'sign-in.undo-change.take-the-change-of-your-account': None
  'sign-in.undo-change.this-code-is-wrong-was-used': { undo_days: 'value' }
  'sign-in.undo-change.this-was-not-you': None
  'sign-in.undo-change.your-account-is-yours-again': None
  'sign-in.undo-change.your-address-and-name-are-restored': None
  'sign-in.verify-email.a-mail-is-on-its-way': None
  'sign-in.verify-email.a-new-code-is-in-my': None
  'sign-in.verify-email.a-new-code-is-in-the': None
  'sign-in.verify-email.code-from-the-mail': None
  'sign-in.verify-email.my-mails': None
  'sign-in.verify-email.my-mails-shows-a-mail-to': None
  'sign-in.verify-email.my-mails-will-show-a-mail': None
  'sign-in.verify-email.no-mail-look-in-the-spam': None
  'sign-in.verify-email.nothing-more-to-do-here': None
  'sign-in.verify-email.send-a-new-code': None
  'sign-in.verify-email.send-the-code': None
  'sign-in.verify-email.the-people-who-run-this-plaza': None
  'sign-in.verify-email.this-is-a-sandbox-its-mails': None
  'sign-in.verify-email.this-plaza-sends-no-mail-out': None
  'sign-in.verify-email.this-plaza-sends-no-mail-out-2': None
  'sign-in.verify-email.until-then-you-can-look-around': { whereElse: 'value' }
  'sign-in.verify-email.verify': None
  'sign-in.verify-email.verify-your-e-mail-address': None
  'sign-in.verify-email.we-send-a-mail-to': None
  'sign-in.verify-email.with-a-code-of-digits-good': { is_sent: 'value'; strong: 'value'; digits: 'value'; lifetime_seconds: 'value' }
  'sign-in.verify-email.you-can-have-a-new-one': { message: 'value' }
  'sign-in.verify-email.your-e-mail-address-is-verified': None
  'ui.admin-second-factor.advised': None
  'ui.admin-second-factor.required': None
  'ui.admin-second-factor.set-up': None
  'ui.admin-second-factor.title': None
  'ui.confirm-dialog.close': None
  'ui.copy-button.copied': None
  'ui.copy-button.copied-2': { what: 'value' }
  'ui.copy-button.copy': None
  'ui.copy-button.select-it-and-copy': None
  'ui.csv-button.export-as-csv': None
  'ui.day-fields.from': None
  'ui.error-pages.go-to-the-first-page': None
  'ui.error-pages.nothing-that-you-saved-before-is': None
  'ui.error-pages.reload-the-page': None
  'ui.error-pages.the-address-may-be-mistyped-or': None
  'ui.error-pages.there-is-no-page-here': None
  'ui.error-pages.this-page-could-not-be-loaded': None
  'ui.error-pages.this-page-has-failed': None
  'ui.error-pages.this-page-is-for-admins': None
  'ui.error-pages.your-account-is-not-an-admins': None
  'ui.failure-note.request': { code: 'value' }
  'ui.failure-note.something-went-wrong-reload-the-page': None
  'ui.failure-note.the-service-failed': None
  'ui.failure-note.too-many-tries': None
  'ui.failure-note.you-can-try-again-in': { wait: 'value' }
  'ui.format.never': None
  'ui.format.points': { amount: 'number' }
  'ui.frame.api-reference': None
  'ui.frame.guides': None
  'ui.frame.pages': None
  'ui.guarded-dialogs.close': None
  'ui.guarded-dialogs.discard': None
  'ui.guarded-dialogs.discard-your-changes': None
  'ui.guarded-dialogs.it-is-not-saved-yet': None
  'ui.guarded-dialogs.keep-editing': None
  'ui.header.close-the-navigation': None
  'ui.header.colours-change-to': { now: 'value'; next: 'value' }
  'ui.header.ctrl-k': None
  'ui.header.dark': None
  'ui.header.go-to': None
  'ui.header.go-to-a-page': None
  'ui.header.light': None
  'ui.header.like-the-system': None
  'ui.header.open-the-navigation': None
  'ui.header.plaza-first-page': None
  'ui.hold-days.made-from': None
  'ui.hold-days.made-until': None
  'ui.hold-days.no-open-hold': None
  'ui.hold-days.none-was-made-on-these-days': { link: 'tag' }
  'ui.inbox-link.inbox': None
  'ui.inbox-link.inbox-unread': { count: 'number'; shown: 'value' }
  'ui.language-select.language': None
  'ui.lazy-component.plaza-cannot-be-reached-as-soon': None
  'ui.lazy-component.plaza-was-updated-since-you-opened': None
  'ui.lazy-component.reload-the-page': None
  'ui.leave-dialog.leave': None
  'ui.leave-dialog.leave-without-saving': None
  'ui.leave-dialog.stay-on-this-page': None
  'ui.leave-dialog.what-you-entered-here-is-not': None
  'ui.linked-text.leads-to': { host: 'value' }
  'ui.notify.close-the-note': None
  'ui.offline-banner.plaza-does-not-answer-at-the': None
  'ui.offline-banner.you-are-offline-what-you-see': None
  'ui.page-parts.show-more': None
  'ui.paged-list.in-all': { count: 'value' }
  'ui.paged-list.the-newest-are-shown': { count: 'value' }
  'ui.palette-search.account': { email: 'value' }
  'ui.palette-search.app-of': { owner_username: 'value' }
  'ui.palette-search.deployment-of': { app_name: 'value' }
  'ui.palette-search.deployments-of-the-app-with-this': None
  'ui.palette-search.payments-of': { app_name: 'value' }
  'ui.palette-search.reference': { q: 'value' }
  'ui.palette-search.the-movement-with-this-id': None
  'ui.palette-search.what-was-done-to-what-has': None
  'ui.palette-search.your-points': None
  'ui.palette.bound-what-an-app-may-spend': None
  'ui.palette.change-your-password': None
  'ui.palette.colours-keywords': None
  'ui.palette.colours-like-the-system': None
  'ui.palette.dark-colours': None
  'ui.palette.disconnect-an-app': None
  'ui.palette.documentation-keywords': None
  'ui.palette.find-a-page-an-app-a': None
  'ui.palette.go-to-a-page': None
  'ui.palette.light-colours': None
  'ui.palette.my-apps': None
  'ui.palette.no-page-or-app-has-these': None
  'ui.palette.nothing-has-these-words': None
  'ui.palette.searching': None
  'ui.palette.see-where-you-are-signed-in': None
  'ui.palette.set-up-a-second-factor': None
  'ui.palette.settings': None
  'ui.palette.shortcuts-keywords': None
  'ui.palette.unblock-somebody': None
  'ui.palette.what-do-you-look-for': None
  'ui.public-frame.directory-of-apps': None
  'ui.reviewed-note.before': None
  'ui.reviewed-note.changed-since-it-was-reviewed': None
  'ui.reviewed-note.description': None
  'ui.reviewed-note.none': None
  'ui.reviewed-note.sends-you-to': None
  'ui.root.nothing-here': None
  'ui.root.skip-to-the-content': None
  'ui.shortcuts-dialog.close-what-is-open-on-top': None
  'ui.shortcuts-dialog.ctrl': None
  'ui.shortcuts-dialog.enter': None
  'ui.shortcuts-dialog.esc': None
  'ui.shortcuts-dialog.go-to-a-page-an-app': None
  'ui.shortcuts-dialog.go-to-the-space': { label: 'value' }
  'ui.shortcuts-dialog.in-the-chat-a-new-line': None
  'ui.shortcuts-dialog.in-the-chat-send': None
  'ui.shortcuts-dialog.shift': None
  'ui.shortcuts-dialog.shortcuts-of-single-keys': None
  'ui.shortcuts-dialog.show-this-list': None
  'ui.shortcuts-dialog.switch-them-off-if-keys-are': None
  'ui.shortcuts-dialog.this-is-kept-on-this-device': None
  'ui.space-switch.spaces': None
  'ui.theme.close': None
  'ui.title.plaza': { title: 'value' }
  'ui.user-menu.your-account': None
  'ui.waiting-rewards.paid-when-you-verify': { link: 'tag' }
}
