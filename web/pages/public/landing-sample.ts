/** The sample `spend-node` of docs/spending.md, which a test runs; `landing.test.ts` compares the two. */
export const spend_sample = `const response = await fetch('https://plaza.example/api/external/points/spend', {
  method: 'POST',
  headers: {
    Authorization: \`Bearer \${process.env.TOKEN}\`,
    'Content-Type': 'application/json',
    'Idempotency-Key': 'order-1042',
  },
  body: JSON.stringify({ amount: 30, description: 'A lantern', reference: '1042' }),
})
console.log(response.status, await response.json())`
