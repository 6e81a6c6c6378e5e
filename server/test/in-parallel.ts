/** Runs `work` for every item, with at most `width` running concurrently. */
export async function inParallel<Item>(width: number, items: Item[], work: (item: Item) => Promise<void>) {
  const queue = [...items]
  await Promise.all(
    Array.from({ length: width }, async () => {
      for (let item = queue.pop(); item !== undefined; item = queue.pop()) await work(item)
    }),
  )
}
