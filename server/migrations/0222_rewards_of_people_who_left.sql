-- A referral that was rewarded while the referrer left could wait for ever.
delete from waiting_rewards w where not exists (select from users u where u.id = w.user_id);
