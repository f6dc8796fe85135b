namespace Harbor.Common;

public static class Guard
{
    public static T NotNull<T>(T value) where T : class => value;
}
