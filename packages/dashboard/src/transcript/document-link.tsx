/** A document by its title, as a link where people can open it. */
export function DocumentLink({ title, url }: { title: string; url: string | null }) {
  // Another address than of the web is shown, and leads nowhere.
  if (url === null || !/^https?:/i.test(url)) return <>{title}</>;
  return (
    <a href={url} target="_blank" rel="noreferrer">
      {title}
    </a>
  );
}
