// A form is sent once: sent again, by a double click on a slow line, it would take the browser away from the answer to the first.
addEventListener('submit', event => {
  if (event.target.dataset.sent) event.preventDefault();
  event.target.dataset.sent = 'yes';
});
addEventListener('pageshow', () => {
  for (const form of document.forms) delete form.dataset.sent;
});
