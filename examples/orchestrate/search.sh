# What the example's search finds, without a network: it reads the query and prints results.
read -r query
printf 'Results for %s:\n' "$query"
printf -- '- %s\n' paper1.pdf paper2.pdf paper3.pdf
