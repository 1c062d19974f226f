/**
 * The scripts are thin: each asks `talosctl __complete <words> <word under the cursor>`, which prints a candidate a
 * line, or `:files` where a path belongs. So a script never goes stale when the tool learns a new command.
 */
const bash = `# bash completion for talosctl: source <(talosctl completion bash)
_talosctl() {
    local line="\${COMP_LINE:0:COMP_POINT}" words=() current prefix candidate
    read -r -a words <<< "$line"
    if [[ "$line" == *[[:space:]] ]]; then words+=(""); fi
    current="\${words[\${#words[@]} - 1]}"
    # Bash replaces only what follows the last = or : of a word.
    prefix="\${current%"\${current##*[=:]}"}"
    COMPREPLY=()
    while IFS= read -r candidate; do
        if [[ "$candidate" == ":files" ]]; then
            while IFS= read -r candidate; do COMPREPLY+=("$candidate"); done < <(compgen -f -- "\${current#"$prefix"}")
            compopt -o filenames 2> /dev/null
            return
        fi
        COMPREPLY+=("\${candidate#"$prefix"}")
    done < <("\${words[0]}" __complete "\${words[@]:1}" 2> /dev/null)
}
complete -F _talosctl talosctl
`;

const zsh = `#compdef talosctl
# zsh completion for talosctl: source <(talosctl completion zsh)
_talosctl() {
    local -a candidates
    candidates=("\${(@f)$("\${words[1]}" __complete "\${(@)words[2,CURRENT]}" 2> /dev/null)}")
    if [[ "\${candidates[1]}" == ":files" ]]; then
        _files
    else
        compadd -- "\${(@)candidates:#}"
    fi
}
if [[ "\${funcstack[1]}" == "_talosctl" ]]; then
    _talosctl "$@"
else
    compdef _talosctl talosctl
fi
`;

const fish = `# fish completion for talosctl: talosctl completion fish | source
function __talosctl_candidates
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    for candidate in ($words[1] __complete $words[2..-1] "$current" 2> /dev/null)
        if test "$candidate" = ":files"
            __fish_complete_path "$current"
        else
            echo $candidate
        end
    end
end
complete -c talosctl -f -a "(__talosctl_candidates)"
`;

const powershell = `# PowerShell completion for talosctl: talosctl completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName 'talosctl' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.Extent.Text })
    # An empty argument does not survive every version: a pair of quotes stands for it.
    if ($wordToComplete -eq '') { $words += '""' }
    & $commandAst.CommandElements[0].Extent.Text __complete @words 2>$null | ForEach-Object {
        if ($_ -eq ':files') {
            [System.Management.Automation.CompletionCompleters]::CompleteFilename($wordToComplete)
        } else {
            [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
        }
    }
}
`;

/** The script of each shell. */
export const completionScripts: Readonly<Record<string, string>> = { bash, fish, powershell, zsh };
