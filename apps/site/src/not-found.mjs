/**
 * Returns the text of the page that a host shows for an address that it does not have.
 *
 * @param {string} root the address of /docs/
 */
export function notFoundHtml(root) {
  return `<h1>No such page</h1>
<p>Nothing is at this address. Search for it above, or go on from here:</p>
<ul>
<li><a href="${root}index.html">Get started</a></li>
<li><a href="${root}recipes.html">Recipes</a>, <a href="${root}options.html">options</a> and <a href="${root}api/index.html">every export</a></li>
<li><a href="${root}what-can-go-wrong.html">What can go wrong and what you get</a></li>
<li><a href="${root}../examples/index.html">Examples that run</a></li>
<li><a href="${root}../index.html">Playground</a></li>
</ul>`;
}
