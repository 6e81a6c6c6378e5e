import { escapeHtml } from './escape-html.ts'
import type { Mailer } from './mail.ts'

const style = `body{margin:0;padding:24px 12px;background:#f4f6f5;color:#1a201d;font:16px/1.55 Figtree,system-ui,-apple-system,'Segoe UI',sans-serif}
main{max-width:520px;margin:0 auto;padding:28px;background:#fff;border:1px solid #dfe5e2;border-radius:12px}
p{margin:0 0 16px;overflow-wrap:anywhere}.brand{font-weight:700;font-size:20px;color:#1c7a57}
a{color:#1c7a57}.button{display:inline-block;padding:10px 18px;border-radius:8px;background:#1c7a57;color:#fff;font-weight:600;text-decoration:none}
.code{font-size:28px;font-weight:700;letter-spacing:5px}
@media (prefers-color-scheme:dark){body{background:#0f1311;color:#e6ebe8}main{background:#1a201d;border-color:#303a35}
.brand,a{color:#7fcfae}.button{background:#2b8f69;color:#fff}}`

/** A code of six digits at the end of a line. */
const code = /(?<=^|\s)(\d{6})$/gm

/**
 * The text of a mail as HTML, without pictures: paragraphs, links and large codes. Only addresses below `public_url`
 * become links, because these texts contain names that people and apps choose.
 */
export function mailHtml(text: string, public_url: string, lang = 'en'): string {
  const address = `${escapeHtml(public_url).replaceAll('.', '\\.')}/[^\\s,]*[^\\s,.]`
  const alone = new RegExp(`^(?:([^:\\n]{1,60}): )?(${address})$`)
  const paragraph = (block: string) => {
    const [, label, target] = alone.exec(block) ?? []
    if (target !== undefined)
      return `<a ${label === undefined ? '' : 'class="button" '}href="${target}">${label ?? target}</a>`
    return block
      .replaceAll(code, '<strong class="code">$1</strong>')
      .replaceAll(new RegExp(address, 'g'), '<a href="$&">$&</a>')
      .replaceAll('\n', '<br>')
  }
  const paragraphs = escapeHtml(text.trim())
    .split(/\n{2,}/)
    .map((block) => `<p>${paragraph(block)}</p>`)
  return `<!doctype html><html lang="${escapeHtml(lang)}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><style>${style}</style></head>
<body><main><p class="brand">Plaza</p>
${paragraphs.join('\n')}
</main></body></html>
`
}

/** A mailer that adds an HTML version to each mail, with the text as the alternative. */
export const withHtml = (mailer: Mailer, public_url: string): Mailer => ({
  ...mailer,
  inJob: (job) => ({
    job,
    send: (mail) => mailer.inJob(job).send({ ...mail, html: mailHtml(mail.text, public_url, mail.lang) }),
  }),
})
