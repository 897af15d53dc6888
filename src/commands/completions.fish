# Completions of the lh tools for fish, made by "@LH@ completions fish".

# Whether the first word behind @LH@ is this one, or, without one, whether there is none.
function __lh_is
    set -l words (commandline -opc)
    test "$words[2]" = "$argv[1]"
end

# The ids of these kinds with what each says, and the projects.
function __lh_ids
    set -l types
    for kind in $argv
        set -a types --type $kind
    end
    @LH@ recall --list --json -n 100 $types 2>/dev/null | sed -n '@HEADS@'
end

function __lh_projects
    @LH@ recall --list --json 2>/dev/null | sed -n '@PROJECTS@' | sort -u
end

# Whether this is the word behind these two.
function __lh_behind
    set -l words (commandline -opc)
    test (count $words) = 3; and test "$words[2] $words[3]" = "$argv"
end

complete -c @LH@ -f
complete -c @LH@ -n __lh_is -s h -l help -d 'print this'
complete -c @LH@ -n __lh_is -s V -l version -d 'print the version'
@ROWS@complete -c @LH@ -n __lh_is -a @1@ -d @3@
@WORDS@complete -c @LH@ -n '__lh_is @1@' -a '@2@'
@IDS@complete -c @LH@ -n '__lh_is @1@' -a '(__lh_ids @3@)'
complete -c @LH@ -n '__lh_is config; and test (count (commandline -opc)) = 2' -a '@KEYS@'
@VALUES@complete -c @LH@ -n '__lh_behind config @1@' -a '@2@'
@TOOLS@
