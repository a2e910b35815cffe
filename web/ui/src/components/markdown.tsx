/** Markdown as elements: the text is parsed into tokens and drawn, never put into the page as HTML. */
import { lexer, type Token, type Tokens } from "marked";
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";

const MOST = 200_000;

/** What is shown instead of a piece of HTML in the text; null: the HTML, as text. */
export type ShowHtml = (raw: string) => ComponentChildren | null;

export function Markdown({ text, html = () => null }: { text: string; html?: ShowHtml }) {
  const tokens = useMemo(() => parsed(text), [text]);
  return <div class="markdown said">{tokens ? blocks(tokens, html) : <pre>{text}</pre>}</div>;
}

function parsed(text: string): Token[] | null {
  if (text.length > MOST) return null;
  try {
    return lexer(text, { gfm: true });
  } catch {
    return null;
  }
}

const blocks = (tokens: Token[], html: ShowHtml) => tokens.map((token, key) => block(token, key, html));

function block(token: Token, key: number, html: ShowHtml): ComponentChildren {
  switch (token.type) {
    case "heading": {
      const Name = `h${Math.min(6, (token as Tokens.Heading).depth + 2)}` as "h3";
      return <Name key={key} dir="auto">{inlines(token, html)}</Name>;
    }
    case "paragraph":
      return <p key={key} dir="auto">{inlines(token, html)}</p>;
    case "list": {
      const list = token as Tokens.List;
      const Name = list.ordered ? "ol" : "ul";
      return (
        <Name key={key}>
          {list.items.map((item, index) => (
            <li key={index} dir="auto">{blocks(item.tokens, html)}</li>
          ))}
        </Name>
      );
    }
    case "blockquote":
      return <blockquote key={key}>{blocks((token as Tokens.Blockquote).tokens, html)}</blockquote>;
    case "code":
      return <pre key={key}><code>{(token as Tokens.Code).text}</code></pre>;
    case "hr":
      return <hr key={key} />;
    case "space":
      return null;
    case "text":
      return (token as Tokens.Text).tokens ? <span key={key}>{inlines(token, html)}</span> : <span key={key}>{unescaped(token)}</span>;
    default:
      return <p key={key} dir="auto">{token.raw}</p>; // HTML, tables and whatever comes: as it was typed
  }
}

function inlines(token: Token, html: ShowHtml): ComponentChildren {
  const inner = (token as Tokens.Paragraph).tokens;
  return inner ? inner.map((one, key) => inline(one, key, html)) : unescaped(token);
}

function inline(token: Token, key: number, html: ShowHtml): ComponentChildren {
  switch (token.type) {
    case "strong":
      return <strong key={key}>{inlines(token, html)}</strong>;
    case "em":
      return <em key={key}>{inlines(token, html)}</em>;
    case "del":
      return <del key={key}>{inlines(token, html)}</del>;
    case "codespan":
      return <code key={key}>{(token as Tokens.Codespan).text}</code>;
    case "br":
      return <br key={key} />;
    case "link": {
      const { href } = token as Tokens.Link;
      if (!isWebAddress(href)) return token.raw;
      return <a key={key} href={href} target="_blank" rel="noopener noreferrer nofollow">{inlines(token, html)}</a>;
    }
    case "text":
    case "escape":
      return unescaped(token);
    case "html":
      return html(token.raw) ?? token.raw;
    default:
      return token.raw; // pictures would be fetched from elsewhere; HTML stays text
  }
}

function unescaped(token: Token): string {
  return "text" in token && typeof token.text === "string" ? token.text : token.raw;
}

export function isWebAddress(href: string): boolean {
  try {
    return ["http:", "https:"].includes(new URL(href).protocol);
  } catch {
    return false;
  }
}
