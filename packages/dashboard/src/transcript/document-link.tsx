/** Shows the title of a document, as a link if it has a web address. */
export function DocumentLink({ title, url }: { title: string; url: string | null }) {
  // Only http and https addresses become links.
  if (url === null || !/^https?:/i.test(url)) return <>{title}</>;
  return (
    <a href={url} target="_blank" rel="noreferrer">
      {title}
    </a>
  );
}
